// Writes the Unicode data of crates/js/src/regex from the running node's own tables, so that our answers are those of one
// known Unicode version (printed at the end). Run: node scripts/gen-unicode.mjs
//
// properties.bin: entries `kind names ranges`, see crates/js/src/regex/unicode.rs for the layout.
// case_tables.rs: Canonicalize with and without u, as runs.
import { writeFileSync } from 'node:fs';

const OUT = new URL('../crates/js/src/regex/', import.meta.url);

const BINARY = `ASCII_Hex_Digit AHex|Alphabetic Alpha|Bidi_Control Bidi_C|Bidi_Mirrored Bidi_M|Case_Ignorable CI|Cased|Changes_When_Casefolded CWCF|Changes_When_Casemapped CWCM|Changes_When_Lowercased CWL|Changes_When_NFKC_Casefolded CWKCF|Changes_When_Titlecased CWT|Changes_When_Uppercased CWU|Dash|Default_Ignorable_Code_Point DI|Deprecated Dep|Diacritic Dia|Emoji|Emoji_Component EComp|Emoji_Modifier EMod|Emoji_Modifier_Base EBase|Emoji_Presentation EPres|Extended_Pictographic ExtPict|Extender Ext|Grapheme_Base Gr_Base|Grapheme_Extend Gr_Ext|Hex_Digit Hex|IDS_Binary_Operator IDSB|IDS_Trinary_Operator IDST|ID_Continue IDC|ID_Start IDS|Ideographic Ideo|Join_Control Join_C|Logical_Order_Exception LOE|Lowercase Lower|Math|Noncharacter_Code_Point NChar|Pattern_Syntax Pat_Syn|Pattern_White_Space Pat_WS|Quotation_Mark QMark|Radical|Regional_Indicator RI|Sentence_Terminal STerm|Soft_Dotted SD|Terminal_Punctuation Term|Unified_Ideograph UIdeo|Uppercase Upper|Variation_Selector VS|White_Space space|XID_Continue XIDC|XID_Start XIDS`.split('|');
const CATEGORIES = `Cased_Letter LC|Close_Punctuation Pe|Connector_Punctuation Pc|Control Cc cntrl|Currency_Symbol Sc|Dash_Punctuation Pd|Decimal_Number Nd digit|Enclosing_Mark Me|Final_Punctuation Pf|Format Cf|Initial_Punctuation Pi|Letter L|Letter_Number Nl|Line_Separator Zl|Lowercase_Letter Ll|Mark M Combining_Mark|Math_Symbol Sm|Modifier_Letter Lm|Modifier_Symbol Sk|Nonspacing_Mark Mn|Number N|Open_Punctuation Ps|Other C|Other_Letter Lo|Other_Number No|Other_Punctuation Po|Other_Symbol So|Paragraph_Separator Zp|Private_Use Co|Punctuation P punct|Separator Z|Space_Separator Zs|Spacing_Mark Mc|Surrogate Cs|Symbol S|Titlecase_Letter Lt|Unassigned Cn|Uppercase_Letter Lu`.split('|');
const SCRIPTS = `Adlam Adlm|Ahom|Anatolian_Hieroglyphs Hluw|Arabic Arab|Armenian Armn|Avestan Avst|Balinese Bali|Bamum Bamu|Bassa_Vah Bass|Batak Batk|Bengali Beng|Beria_Erfe Berf|Bhaiksuki Bhks|Bopomofo Bopo|Brahmi Brah|Braille Brai|Buginese Bugi|Buhid Buhd|Canadian_Aboriginal Cans|Carian Cari|Caucasian_Albanian Aghb|Chakma Cakm|Cham|Cherokee Cher|Chorasmian Chrs|Common Zyyy|Coptic Copt Qaac|Cuneiform Xsux|Cypriot Cprt|Cypro_Minoan Cpmn|Cyrillic Cyrl|Deseret Dsrt|Devanagari Deva|Dives_Akuru Diak|Dogra Dogr|Duployan Dupl|Egyptian_Hieroglyphs Egyp|Elbasan Elba|Elymaic Elym|Ethiopic Ethi|Garay Gara|Georgian Geor|Glagolitic Glag|Gothic Goth|Grantha Gran|Greek Grek|Gujarati Gujr|Gunjala_Gondi Gong|Gurmukhi Guru|Gurung_Khema Gukh|Han Hani|Hangul Hang|Hanifi_Rohingya Rohg|Hanunoo Hano|Hatran Hatr|Hebrew Hebr|Hiragana Hira|Imperial_Aramaic Armi|Inherited Zinh Qaai|Inscriptional_Pahlavi Phli|Inscriptional_Parthian Prti|Javanese Java|Kaithi Kthi|Kannada Knda|Katakana Kana|Kawi|Kayah_Li Kali|Kharoshthi Khar|Khitan_Small_Script Kits|Khmer Khmr|Khojki Khoj|Khudawadi Sind|Kirat_Rai Krai|Lao Laoo|Latin Latn|Lepcha Lepc|Limbu Limb|Linear_A Lina|Linear_B Linb|Lisu|Lycian Lyci|Lydian Lydi|Mahajani Mahj|Makasar Maka|Malayalam Mlym|Mandaic Mand|Manichaean Mani|Marchen Marc|Masaram_Gondi Gonm|Medefaidrin Medf|Meetei_Mayek Mtei|Mende_Kikakui Mend|Meroitic_Cursive Merc|Meroitic_Hieroglyphs Mero|Miao Plrd|Modi|Mongolian Mong|Mro Mroo|Multani Mult|Myanmar Mymr|Nabataean Nbat|Nag_Mundari Nagm|Nandinagari Nand|New_Tai_Lue Talu|Newa|Nko Nkoo|Nushu Nshu|Nyiakeng_Puachue_Hmong Hmnp|Ogham Ogam|Ol_Chiki Olck|Ol_Onal Onao|Old_Hungarian Hung|Old_Italic Ital|Old_North_Arabian Narb|Old_Permic Perm|Old_Persian Xpeo|Old_Sogdian Sogo|Old_South_Arabian Sarb|Old_Turkic Orkh|Old_Uyghur Ougr|Oriya Orya|Osage Osge|Osmanya Osma|Pahawh_Hmong Hmng|Palmyrene Palm|Pau_Cin_Hau Pauc|Phags_Pa Phag|Phoenician Phnx|Psalter_Pahlavi Phlp|Rejang Rjng|Runic Runr|Samaritan Samr|Saurashtra Saur|Sharada Shrd|Shavian Shaw|Siddham Sidd|Sidetic Sidt|SignWriting Sgnw|Sinhala Sinh|Sogdian Sogd|Sora_Sompeng Sora|Soyombo Soyo|Sundanese Sund|Sunuwar Sunu|Syloti_Nagri Sylo|Syriac Syrc|Tagalog Tglg|Tagbanwa Tagb|Tai_Le Tale|Tai_Tham Lana|Tai_Viet Tavt|Tai_Yo Tayo|Takri Takr|Tamil Taml|Tangsa Tnsa|Tangut Tang|Telugu Telu|Thaana Thaa|Thai|Tibetan Tibt|Tifinagh Tfng|Tirhuta Tirh|Todhri Todr|Tolong_Siki Tols|Toto|Tulu_Tigalari Tutg|Ugaritic Ugar|Unknown Zzzz|Vai Vaii|Vithkuqi Vith|Wancho Wcho|Warang_Citi Wara|Yezidi Yezi|Yi Yiii|Zanabazar_Square Zanb`.split('|');

// Every code point but the surrogates, in order; surrogates are asked for apart.
let all = '';
for (let cp = 0; cp <= 0x10ffff; cp++) if (cp < 0xd800 || cp > 0xdfff) all += String.fromCodePoint(cp);

function ranges(expr) {
  let re;
  try { re = new RegExp(`\\p{${expr}}+`, 'gu'); } catch { return null; }
  const out = [];
  const add = (a, b) => { const l = out.at(-1); if (l && l[1] + 1 === a) l[1] = b; else out.push([a, b]); };
  const sur = new RegExp(`\\p{${expr}}`, 'u').test('\ud800');
  let surDone = !sur;
  for (const m of all.matchAll(re)) {
    const a = m[0].codePointAt(0);
    const last = m[0].charCodeAt(m[0].length - 1);
    const b = last >= 0xdc00 && last <= 0xdfff ? m[0].codePointAt(m[0].length - 2) : last;
    if (!surDone && a > 0xdfff) { add(0xd800, 0xdfff); surDone = true; }
    if (a < 0xd800 && b > 0xdfff) {
      add(a, 0xd7ff);
      if (sur) add(0xd800, 0xdfff);
      surDone = true;
      add(0xe000, b);
    } else add(a, b);
  }
  if (!surDone) add(0xd800, 0xdfff);
  return out;
}

const bytes = [];
const varint = n => { const o = []; while (n > 127) { o.push(n & 127 | 128); n = Math.floor(n / 128); } o.push(n); return o; };
const text = s => { const b = [...Buffer.from(s)]; return [...varint(b.length), ...b]; };
function entry(kind, names, body) { bytes.push(kind.charCodeAt(0), ...text(names), ...varint(body.length)); for (const b of body) bytes.push(b); }
function coded(rs) { const o = []; let at = 0; for (const [a, b] of rs) { o.push(...varint(a - at), ...varint(b - a)); at = b + 1; } return o; }

for (const names of BINARY) entry('b', names, coded(ranges(names.split(' ')[0])));
for (const names of CATEGORIES) entry('g', names, coded(ranges(`gc=${names.split(' ')[0]}`)));
for (const names of SCRIPTS) {
  const name = names.split(' ')[0];
  const sc = ranges(`sc=${name}`);
  if (!sc) { console.warn('not known here', name); continue; }
  entry('s', names, coded(sc));
  const scx = ranges(`scx=${name}`);
  if (JSON.stringify(scx) !== JSON.stringify(sc)) entry('x', names, coded(scx));
}

// Properties of strings: candidates are built from the grammar of emoji sequences and kept when node says yes.
const cps = expr => ranges(expr).flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => String.fromCodePoint(a + i)));
const is = name => { const re = new RegExp(`^\\p{${name}}$`, 'v'); return s => re.test(s); };
const emoji = cps('Emoji'), tones = cps('Emoji_Modifier'), bases = cps('Emoji_Modifier_Base'), ri = cps('Regional_Indicator');
const Z = '\u200d', VS = '\ufe0f';
const kept = {};
const keep = (name, list) => { kept[name] = [...new Set(list.filter(is(name)))]; };
keep('Basic_Emoji', emoji.flatMap(e => [e, e + VS]));
keep('Emoji_Keycap_Sequence', [...'0123456789#*'].map(c => c + VS + '\u20e3'));
keep('RGI_Emoji_Modifier_Sequence', bases.flatMap(b => tones.map(t => b + t)));
keep('RGI_Emoji_Flag_Sequence', ri.flatMap(a => ri.map(b => a + b)));
const tag = s => '\u{1f3f4}' + [...s].map(c => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('') + '\u{e007f}';
keep('RGI_Emoji_Tag_Sequence', ['gbeng', 'gbsct', 'gbwls', 'ustx', 'usca'].map(tag));
const units = [...kept.Basic_Emoji, ...kept.RGI_Emoji_Modifier_Sequence];
const zwj = new Set(), zwjIs = is('RGI_Emoji_ZWJ_Sequence');
const tryZ = s => { if (zwjIs(s)) zwj.add(s); };
const tails = [...kept.Basic_Emoji];
for (const a of units) for (const b of tails) tryZ(a + Z + b);
const people = ['\u{1f468}', '\u{1f469}', '\u{1f9d1}', '\u{1f466}', '\u{1f467}', '\u{1f9d2}'];
const toned = people.flatMap(p => [p, ...tones.map(t => p + t)]);
const links = ['\u2764' + VS, '\u{1f91d}', '\u{1f430}', '\u{1faef}', '\u{1f48b}', ...people];
for (const a of toned) for (const b of toned) {
  tryZ(a + Z + b);
  for (const l of links) tryZ(a + Z + l + Z + b);
  tryZ(a + Z + '\u2764' + VS + Z + '\u{1f48b}' + Z + b);
}
for (const a of people) for (const b of people) for (const c of people) { tryZ(a + Z + b + Z + c); for (const d of people) tryZ([a, b, c, d].join(Z)); }
// Person + activity + direction, as in a man running facing right.
const two = [...zwj];
for (const s of two) for (const d of ['\u27a1' + VS, '\u2b05' + VS]) tryZ(s + Z + d);
const hands = ['\u{1faf1}', '\u{1faf2}'].flatMap(p => [p, ...tones.map(t => p + t)]);
for (const a of hands) for (const b of hands) tryZ(a + Z + b);
kept.RGI_Emoji_ZWJ_Sequence = [...zwj];
const rgi = is('RGI_Emoji');
kept.RGI_Emoji = [];
for (const [name, list] of Object.entries(kept)) {
  console.log(name, list.length);
  if (name === 'RGI_Emoji') continue;
  if (!list.every(s => rgi(s))) console.warn(name, 'is not all RGI');
  const o = [...varint(list.length)];
  for (const s of list) { const c = [...s]; o.push(...varint(c.length), ...c.flatMap(x => varint(x.codePointAt(0)))); }
  entry('q', name, o);
}
writeFileSync(new URL('properties.bin', OUT), Buffer.from(bytes));

// Case. Without u: toUpperCase of one unit, kept when it is one unit and does not fall into ASCII from outside.
function runs(map) {
  const keys = [...map.keys()].sort((a, b) => a - b), out = [];
  for (const k of keys) {
    const d = map.get(k) - k, l = out.at(-1);
    if (l && l[3] === d && (l[2] === 0 ? k - l[1] <= 2 : k - l[1] === l[2])) { l[2] ||= k - l[1]; l[1] = k; }
    else out.push([k, k, 0, d]);
  }
  return out.map(([a, b, s, d]) => [a, b, s || 1, d]);
}
const upper = new Map();
for (let u = 0; u < 0x10000; u++) {
  const s = String.fromCharCode(u).toUpperCase();
  if (s.length !== 1) continue;
  const c = s.charCodeAt(0);
  if (c !== u && !(u >= 128 && c < 128)) upper.set(u, c);
}
// With u: simple case folding. Classes come from joining by case mappings, each join confirmed by the engine;
// the class is folded to its lower-case member (upper case for Cherokee, whose fold goes that way; any member would do).
const groups = new Map(), byKey = new Map();
const find = x => { while (groups.get(x) !== x) x = groups.get(x); return x; };
for (let cp = 0; cp <= 0x10ffff; cp++) {
  if (cp >= 0xd800 && cp <= 0xdfff) continue;
  const s = String.fromCodePoint(cp);
  const keys = new Set([s.toLowerCase(), s.toUpperCase(), s.toUpperCase().toLowerCase(), s.toLowerCase().toUpperCase()]);
  if (keys.size === 1 && keys.has(s)) continue;
  for (const k of [...keys, s]) { if (!byKey.has(k)) byKey.set(k, new Set()); byKey.get(k).add(cp); }
}
const same = (a, b) => new RegExp(`^\\u{${a.toString(16)}}$`, 'iu').test(String.fromCodePoint(b));
for (const set of byKey.values()) for (const cp of set) if (!groups.has(cp)) groups.set(cp, cp);
for (const set of byKey.values()) { const l = [...set]; for (const a of l) for (const b of l) if (a < b && same(a, b)) groups.set(find(a), find(b)); }
const classes = new Map();
for (const cp of groups.keys()) { const r = find(cp); if (!classes.has(r)) classes.set(r, []); classes.get(r).push(cp); }
const fold = new Map();
for (const list of classes.values()) {
  if (list.length < 2) continue;
  const low = list.map(c => String.fromCodePoint(c).toLowerCase()).map(s => s.codePointAt(0)).filter(c => list.includes(c));
  const count = c => low.filter(x => x === c).length;
  const target = low.sort((a, b) => count(b) - count(a) || a - b)[0] ?? list[0];
  for (const c of list) if (c !== target) fold.set(c, target);
}
for (const m of [upper, fold]) for (const t of m.values()) if (m.has(t)) throw new Error(`not idempotent at ${t}`);
const rows = m => runs(m).map(r => `    (${r[0]}, ${r[1]}, ${r[2]}, ${r[3]}),`).join('\n');
writeFileSync(new URL('case_tables.rs', OUT), `//! Generated by scripts/gen-unicode.mjs (Unicode ${process.versions.unicode}); do not edit.
//!
//! Rows are \`(first, last, step, delta)\`: every \`step\`-th character from first to last maps to itself plus delta.

/// Canonicalize without \`u\`: \`toUpperCase\` of one UTF-16 unit.
pub(super) static UPPER: &[(u32, u32, u32, i32)] = &[
${rows(upper)}
];

/// Canonicalize with \`u\` or \`v\`: one representative for each class of simple case folding.
pub(super) static FOLD: &[(u32, u32, u32, i32)] = &[
${rows(fold)}
];
`);
console.log('unicode', process.versions.unicode, 'properties', bytes.length, 'upper', upper.size, runs(upper).length, 'fold', fold.size, runs(fold).length);
