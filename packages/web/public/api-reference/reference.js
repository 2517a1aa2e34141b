// The API reference: shows /openapi.json with Swagger UI.
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
const applyScheme = () => document.documentElement.classList.toggle("dark-mode", darkScheme.matches);
darkScheme.addEventListener("change", applyScheme);
applyScheme();

const components = {
  // There is one server: this one.
  ServersContainer: () => null,
  // A link inside the button of an operation cannot be reached by every screen reader.
  DeepLink: ({ text }) => text,
};

async function showReference() {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`/openapi.json: ${response.status}`);
  const description = await response.json();
  SwaggerUIBundle({
    // Requests go to the origin of this page: the policy allows no other.
    spec: { ...description, servers: [{ url: location.origin }] },
    domNode: document.getElementById("reference"),
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    syntaxHighlight: { theme: "tomorrow-night" },
    plugins: [{ components }],
  });
}

showReference().catch((error) => {
  document.getElementById("reference").textContent = `The API cannot be shown: ${error.message}. Reload the page.`;
});
