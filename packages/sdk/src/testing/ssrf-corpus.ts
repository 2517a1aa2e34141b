// Untrusted addresses that must not be dialled, as plain data for the tests. Only `trapNames` need a resolver.

// Spellings of loopback addresses. They are harmless even if a broken dialler connects to them.
const ipv4Loopback = [
  ...["127.0.0.1", "127.0.0.2", "127.255.255.255", "127.0.0.1.", "127.1", "127.0.1", "127.1.", "127.0.0.01"],
  // Decimal, octal, hexadecimal, padded and mixed.
  ...["2130706433", "2130706434", "017700000001", "0000017700000001", "0x7f000001", "0X7F000001", "0x000007f000001"],
  ...["0177.0.0.1", "0177.0.0.01", "0000177.0.0.1", "127.000.000.001", "0x7f.1", "0x7f.0.0.1", "0X7F.0X0.0X0.0X1"],
  ...["0177.0x0.1", "0x7f.0.1", "127.0x1", "127.01", "0177.1", "127.0x0.0.1", "127.0.0.0x1"],
  // Digits and full stops of other scripts, and what a browser decodes or drops.
  ...["①②⑦.⓪.⓪.①", "１２７.０.０.１", "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "¹²⁷.⁰.⁰.¹", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1"],
  ...["0ｘ7ｆ.1", "127%2e0%2e0%2e1", "%31%32%37.0.0.1", "127.0.0.%31", "1\u200b27.0.0.1", "127\u00ad.0.0.1"],
];
const ipv6Loopback = [
  ...["[::1]", "[0::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0.0.0.1]"],
  ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[0:0:0:0:0:ffff:127.0.0.1]"],
];

export const loopbackHosts: readonly string[] = [...ipv4Loopback, ...ipv6Loopback];

const unspecified = ["0", "0.0.0.0", "0x0", "00.0.0.0", "0.0", "[::]", "[0:0:0:0:0:0:0:0]", "[::0.0.0.0]"];

// Metadata services of clouds and container platforms.
const metadata = [
  ...["169.254.169.254", "169.254.169.254.", "2852039166", "0xa9fea9fe", "0XA9.0XFE.0XA9.0XFE", "025177524776"],
  ...["0251.0376.0251.0376", "169.254.43518", "169.16689662", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]"],
  ...["169.254.170.2", "169.254.170.23", "169.254.169.253", "169.254.169.123", "169.254.0.23", "169.254.42.42"],
  ...["100.100.100.200", "192.0.0.192", "168.63.129.16", "[fd00:ec2::254]", "[fd00:ec2::253]", "[fd00:ec2::23]"],
  ...["[fd20:ce::254]", "[fd00:42::42]", "[fe80::a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]"],
];

// An IPv4 address inside an IPv6 one: compatible, translated, NAT64, 6to4, Teredo, ISATAP.
const carriers = [
  ...["[::127.0.0.1]", "[::7f00:1]", "[::10.0.0.1]", "[::ffff:0:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:c0a8:1]"],
  ...["[::ffff:0.0.0.0]", "[::ffff:8.8.8.8]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a00:1]", "[64:ff9b:1::7f00:1]"],
  ...["[2002:7f00:1::]", "[2002:7f00:1::1]", "[2002:a00:1::]", "[2002:c0a8:1::]"],
  ...["[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2001::7f00:1]", "[fe80::5efe:127.0.0.1]", "[fe80::5efe:10.0.0.1]"],
];

// The first and the last address of every range that IANA keeps for special purposes, and of multicast.
const ipv4Ranges = [
  ...["0.0.0.1", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255"],
  ...["169.254.0.0", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255"],
  ...["192.0.2.0", "192.0.2.255", "192.88.99.0", "192.88.99.255", "192.168.0.0", "192.168.255.255"],
  ...["198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255"],
  ...["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.254", "255.255.255.255"],
];
const ipv6Ranges = [
  ...["[::2]", "[::ffff:ffff]", "[64:ff9b::]", "[64:ff9b::ffff:ffff]", "[64:ff9b:1::]"],
  ...["[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]", "[100::]", "[100::ffff:ffff:ffff:ffff]", "[100:0:0:1::]", "[2001::]"],
  ...["[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]", "[2001:db8::]", "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]"],
  ...["[2002::]", "[2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "[3fff::]", "[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]"],
  ...["[5f00::]", "[5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "[fc00::]", "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]"],
  ...["[fe80::]", "[fe80::1]", "[febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "[fec0::1]", "[ff00::]", "[ff02::1]"],
  ...["[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "[1fff:ffff::]", "[4000::]"],
];

// Other spellings of private networks.
const privateSpellings = [
  ...[
    "10.1",
    "012.0.0.1",
    "167772161",
    "0x0a000001",
    "10.0.1",
    "1０.0.0.1",
    "10。0。0。1",
    "172.1048577",
    "0xac100001",
  ],
  ...["192.168.1", "0300.0250.0.1", "3232235521", "0xc0.0xa8.0.1", "192.168.257", "0xffffffff", "4294967295"],
];

/** All other addresses that are not public. */
export const specialHosts: readonly string[] = [
  ...[...unspecified, ...metadata, ...carriers],
  ...[...ipv4Ranges, ...ipv6Ranges, ...privateSpellings],
];

/** URLs that both modes refuse, for their syntax, their scheme or their address. */
export const trapUrls: readonly string[] = [
  // Schemes.
  ...["file:///etc/passwd", "file://127.0.0.1/etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:70/_x", "blob:x"],
  ...["dict://127.0.0.1:11211/stat", "ldap://127.0.0.1/", "tftp://127.0.0.1/x", "sftp://127.0.0.1/", "data:,x"],
  ...["javascript:0", "about:blank", "jar:http://127.0.0.1!/", "view-source:http://127.0.0.1/", "unix:/run/x.sock"],
  ...["ws+unix:///run/x.sock", "http+unix://%2Frun%2Fx.sock/", "HTTPX://127.0.0.1/", "urn:x", "mailto:a@127.0.0.1"],
  // Invalid URLs.
  ...[
    "",
    " ",
    "http:",
    "https://",
    "https:///",
    "//127.0.0.1/",
    "127.0.0.1/",
    "localhost:80",
    "https//127.0.0.1",
    "http://:80/",
  ],
  ...["https://[::1", "https://::1/", "https://[::1]x/", "https://[::1%25lo]/", "https://[fe80::1%eth0]/"],
  ...["https://[::ffff:127.0.0.1.1]/", "https://[::1::]/", "https://256.256.256.256/", "https://0x100000000/"],
  ...[
    "https://4294967296/",
    "https://1.2.3.4.5/",
    "https://127.0.0.256/",
    "https://127.0.0.1:99999/",
    "https://09.0.0.1/",
  ],
  ...["https://127.0.0.1:x/", "https://127.0.0.1:-1/", "https://%00/", "https://127.0.0.1%00.bot.example/"],
  ...["https://127.0.0.1 .bot.example/", "https://127.0.0.1﹒/", "https://bot.example＠127.0.0.1/", "https://a^b/"],
  // A user name that looks like a host, and a host that looks like a user name.
  ...[
    "https://bot.example@127.0.0.1/",
    "https://bot.example:443@127.0.0.1/",
    "https://u:p@[::1]/",
    "http://u@127.0.0.1/",
  ],
  ...["https://127.0.0.1@bot.example/", "https://127.0.0.1%40bot.example@127.0.0.1/", "https://:p@127.0.0.1/"],
  // Host and path, query or fragment confused.
  ...["https://192.0.2.1#@bot.example/", "https://192.0.2.1?@bot.example/", "https://192.0.2.1\\@bot.example/"],
  ...["https:\\\\192.0.2.1\\x", "https:/\\192.0.2.1/", "https:192.0.2.1", "https:/192.0.2.1/", "https:////192.0.2.1/"],
  // Characters that the URL parser removes.
  ...["https://192.0.\t2.1/", "https://192.0.\n2.1/", "https://192.0.\r\n2.1/", "ht\ntps://192.0.2.1/"],
  ...[
    "\t https://192.0.2.1/ \n",
    "\u0000https://192.0.2.1/",
    "https://192.0.2.1/\r\nhost: bot.example",
    "HtTpS://192.0.2.1/",
  ],
  // Ports of other services.
  ...[
    "https://192.0.2.1:22/",
    "https://192.0.2.1:25/",
    "https://192.0.2.1:0/",
    "https://192.0.2.1:6379/",
    "http://192.0.2.1:443/",
  ],
];

/** Names and their addresses. */
export const trapNames: readonly { name: string; addresses: readonly string[] }[] = [
  ...["localhost", "localhost.", "LOCALHOST", "a.localhost", "a.b.localhost.", "ｌｏｃａｌｈｏｓｔ", "ⓛocalhost"].map(
    atHome,
  ),
  ...["localhost.localdomain", "127.0.0.1.nip.example", "0x7f.1.nip.example", "127-0-0-1.ip.example"].map(atHome),
  { name: "ip6-localhost", addresses: ["::1"] },
  { name: "both.example", addresses: ["127.0.0.1", "::1"] },
  { name: "mapped.example", addresses: ["::ffff:127.0.0.1"] },
  { name: "zero.example", addresses: ["0.0.0.0"] },
  { name: "metadata.google.internal", addresses: ["169.254.169.254"] },
  { name: "metadata.google.internal.", addresses: ["fd20:ce::254"] },
  { name: "metadata", addresses: ["169.254.169.254"] },
  { name: "instance-data.ec2.internal", addresses: ["169.254.169.254", "fd00:ec2::254"] },
  { name: "kubernetes.default.svc", addresses: ["10.96.0.1"] },
  { name: "host.docker.internal", addresses: ["192.168.65.2"] },
  { name: "router.local", addresses: ["192.168.0.1"] },
  // A forbidden address among allowed ones.
  { name: "last.example", addresses: ["8.8.8.8", "127.0.0.1"] },
  { name: "first.example", addresses: ["127.0.0.1", "8.8.8.8"] },
  { name: "middle.example", addresses: ["8.8.8.8", "10.0.0.1", "1.1.1.1"] },
  { name: "sixth.example", addresses: ["2606:4700::1111", "::1"] },
  { name: "carrier.example", addresses: ["8.8.8.8", "64:ff9b::7f00:1"] },
];

function atHome(name: string) {
  return { name, addresses: ["127.0.0.1"] };
}
