//! Invented text in several scripts, the same bytes on every machine.
//!
//! Shared by the tests, the benchmark and the example that compares with other tokenizers, so that all of them
//! speak about one text.
#![allow(dead_code)] // Each of its users takes a part of it.

/// A kind of text with its sentences. `{n}` is a name, `{p}` a place, `{d}` a number.
pub struct Script {
    pub name: &'static str,
    pub sentences: &'static [&'static str],
    names: &'static [&'static str],
    places: &'static [&'static str],
    /// What invented words are made of.
    syllables: &'static [&'static str],
}

pub const SCRIPTS: &[Script] = &[
    Script {
        name: "english",
        sentences: &[
            "{n} set the lantern down on the counter and waited for somebody in {p} to notice the rain. ",
            "\"You're late,\" {n} said, \"and it's the {d}th time this winter that I've had to cover for you.\" ",
            "*She turns away, fingers drumming on the hilt of a sword that hasn't been drawn since {p} fell.* ",
            "Nobody remembered who'd built the clocktower in {p}; its bells rang {d} times, then stopped.\n",
            "The ledger listed salt, copper wire, two mules & an unreasonable quantity of marmalade — {d} jars!\n\n",
            "{n}'s answer came slowly: \"We'll cross at dawn, if the ferryman isn't afraid of {p} anymore...\" ",
        ],
        names: &["Maribel", "Old Tobin", "Captain Sorrel", "Wrenna", "the innkeeper", "Dr. Halloway"],
        places: &["Low Harrow", "the salt market", "Emberwick", "the drowned quarter", "Ninefold Bridge"],
        syllables: &[
            "ba", "cor", "dri", "el", "fen", "gul", "hast", "ir", "jo", "kem", "lun", "mar", "nith", "or",
            "pra", "quil", "rusk", "sae", "tor", "und", "vey", "wick", "yar", "zeph",
        ],
    },
    Script {
        name: "chinese",
        sentences: &[
            "{n}把灯笼放在柜台上，等着{p}里有人注意到外面的雨。",
            "“你又迟到了，”{n}说，“这已经是今年冬天的第{d}次。”",
            "没有人记得{p}的钟楼是谁建的；钟声响了{d}下，然后就停了。\n",
            "账本上写着盐、铜线、两头骡子，还有多得不合理的橘子酱！\n\n",
        ],
        names: &["林小雨", "老陶", "苏队长", "掌柜"],
        places: &["盐市", "余烬镇", "九折桥", "旧城区"],
        syllables: &[
            "山", "河", "云", "影", "霜", "铁", "夜", "灯", "渡", "桥", "狐", "剑", "盐", "梦", "星", "尘",
            "墨", "雁", "烟", "潮", "钟", "楼", "雪", "棋",
        ],
    },
    Script {
        name: "japanese",
        sentences: &[
            "{n}はランタンをカウンターに置き、{p}の誰かが雨に気づくのを待った。",
            "「また遅刻ですね」と{n}が言った。「この冬で{d}回目ですよ」\n",
            "{p}の時計塔を誰が建てたのか、もう誰も覚えていない。",
            "帳簿には塩、銅線、ラバ二頭、そしてマーマレードが{d}瓶と書いてあった！\n",
        ],
        names: &["ミヅキ", "トビ爺さん", "隊長", "宿の主人"],
        places: &["塩の市場", "エンバーウィック", "九つ橋", "水没区"],
        syllables: &[
            "ア", "ミ", "ヅ", "キ", "ラ", "ン", "トー", "夜", "霧", "橋", "ささ", "なみ", "つき", "かぜ",
            "雨", "灯", "ロ", "シェ", "ほし", "影",
        ],
    },
    Script {
        name: "korean",
        sentences: &[
            "{n}은 등불을 계산대 위에 내려놓고 {p}에서 누군가 비를 알아차리기를 기다렸다. ",
            "\"또 늦었네요.\" {n}이 말했다. \"올겨울만 벌써 {d}번째예요.\"\n",
            "{p}의 시계탑을 누가 지었는지 기억하는 사람은 없었다. 종은 {d}번 울리고 멈췄다. ",
        ],
        names: &["미래", "토빈 영감", "소렐 대장", "여관 주인"],
        places: &["소금 시장", "잿불 마을", "아홉굽이 다리"],
        syllables: &[
            "가", "람", "해", "솔", "빛", "누리", "달", "별", "바", "위", "소", "금", "등", "불", "새", "벽",
            "안", "개", "잿", "골",
        ],
    },
    Script {
        name: "russian",
        sentences: &[
            "{n} поставил фонарь на прилавок и стал ждать, пока кто-нибудь в городе {p} заметит дождь. ",
            "«Ты опять опоздал, — сказала {n}, — уже {d}-й раз за зиму».\n",
            "Никто не помнил, кто построил часовую башню; колокола пробили {d} раз и замолчали. ",
            "В книге значились соль, медная проволока, два мула и непомерно много мармелада!\n",
        ],
        names: &["Марибель", "Старый Тобин", "капитан Соррел", "трактирщик"],
        places: &["Соляной Рынок", "Углеград", "Девятимостье"],
        syllables: &[
            "ба", "вер", "гра", "дом", "жи", "зор", "кам", "лес", "мир", "ноч", "ог", "пе", "рус", "снеж",
            "ту", "хол", "цве", "ша", "яр", "ний",
        ],
    },
    Script {
        name: "european",
        sentences: &[
            "{n} stellte die Laterne auf die Theke und wartete, bis in {p} jemand den Regen bemerkte. ",
            "« Tu es encore en retard », dit {n}, « c'est la {d}e fois cet hiver à {p}. »\n",
            "Nadie recordaba quién levantó la torre del reloj; ¡las campanas sonaron {d} veces y callaron! ",
            "Người lái đò không còn sợ {p} nữa, {n} nói khẽ. Köprüyü şafakta geçeceğiz. ",
        ],
        names: &["Maribel", "der alte Tobin", "la capitaine", "el posadero"],
        places: &["Glutstadt", "le marché au sel", "Puente Noveno"],
        syllables: &[
            "schä", "brü", "çı", "ño", "thượ", "glut", "wé", "lais", "ørn", "zü", "ğa", "puen", "té", "mär",
            "đi", "rê", "kö", "söl", "ví", "ang",
        ],
    },
    Script {
        name: "code",
        sentences: &[
            "```js\nfunction ring_{d}(bell, times = {d}) {\n    return bell.map((b) => b * times).filter(Boolean);\n}\n```\n",
            "{\"uid\": {d}, \"key\": [\"{p}\", \"salt\"], \"content\": \"{n} lives here.\", \"selective\": true}\n",
            "    if (this.ledger[{d}]?.owner === '{n}') {\n\t\tawait save(this.ledger, { depth: {d} });\n    }\n",
            "{{setvar::mood::wary}}{{random::{n}::{p}}} <div class=\"card-{d}\">&nbsp;</div>\n",
            "pub fn toll(&self, n: usize) -> Option<&'static str> { self.rates.get(n % {d}).copied() }\n",
        ],
        names: &["wren", "tobin_42", "Sorrel", "inn.keeper"],
        places: &["low_harrow", "EMBERWICK", "nineFold"],
        syllables: &[
            "get", "Set", "_", "idx", "Map", "0x", "ledger", "Bell", "2", "-", "Async", "to", "str", "Ref",
            ".", "$", "item", "Node", "7f", "::",
        ],
    },
    Script {
        name: "emoji",
        sentences: &["😀🔥 {n} 👩‍👩‍👧‍👦✨💔 ", "🏳️‍🌈🇯🇵 {d}️⃣ (╯°□°)╯︵ ┻━┻ 🧜🏽‍♀️\n", "♥‿♥ ~*~ {p} ~*~ 🗡️🛡️🐉 "],
        names: &["Maribel", "小雨", "トビ"],
        places: &["💫 Emberwick 💫", "🌊🌊🌊"],
        syllables: &["🔥", "✨", "💫", "🐉", "🗡️", "🌊", "😅", "🧜🏽‍♀️", "❤️", "🕯️", "🎲", "👻"],
    },
    Script {
        name: "spaces",
        sentences: &[
            "  \t {n}\u{a0}\u{3000}of   {p} \r\n\r\n \n\n\n",
            "\n\n\n    {d}\t\t\t{n}   \u{2003}\u{200b}{p}\r\r\n",
            "-----------------{d}=================\n_____{n}_____\n",
        ],
        names: &["wren", "Тобин", "林"],
        places: &["harrow", "……", "\u{feff}"],
        syllables: &[" ", "\t", "\u{3000}", "\n", "...", "~", "\u{a0}", "--", "\r\n", "__"],
    },
];

/// A small deterministic sequence of numbers (a 64-bit LCG, high bits).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn one<'a, T: ?Sized>(&mut self, of: &'a [&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

impl Script {
    /// One sentence with its slots filled.
    pub fn sentence(&self, dice: &mut Dice) -> String {
        let number = dice.below(1200).to_string();
        dice.one(self.sentences)
            .replace("{n}", dice.one(self.names))
            .replace("{p}", dice.one(self.places))
            .replace("{d}", &number)
    }

    /// A word that nobody has heard before, most likely.
    pub fn invented(&self, dice: &mut Dice) -> String {
        (0..=1 + dice.below(4)).map(|_| dice.one(self.syllables)).collect()
    }

    /// At least `bytes` bytes of this kind of text.
    pub fn text(&self, bytes: usize) -> String {
        let mut dice = Dice::new(bytes as u64);
        let mut text = String::with_capacity(bytes + 256);
        while text.len() < bytes {
            text.push_str(&self.sentence(&mut dice));
        }
        text
    }
}

/// At least `bytes` bytes of all kinds mixed, in runs of one to six sentences, as a chat has them.
pub fn prose(bytes: usize) -> String {
    mix(bytes, |_, _, _| {})
}

/// As [`prose`], with invented words after each sentence.
///
/// Without them the few words of the sentences would repeat, and a tokenizer that remembers words would look faster than
/// it is.
pub fn mixed(bytes: usize) -> String {
    mix(bytes, |text, script, dice| {
        for _ in 0..=dice.below(4) {
            text.push_str(&script.invented(dice));
            text.push(' ');
        }
    })
}

fn mix(bytes: usize, after_sentence: impl Fn(&mut String, &Script, &mut Dice)) -> String {
    let mut dice = Dice::new(42);
    let mut text = String::with_capacity(bytes + 1024);
    while text.len() < bytes {
        // Half of it is English: that is what most chats are.
        let script = if dice.below(2) == 0 { &SCRIPTS[0] } else { &SCRIPTS[dice.below(SCRIPTS.len())] };
        for _ in 0..=dice.below(6) {
            text.push_str(&script.sentence(&mut dice));
            after_sentence(&mut text, script, &mut dice);
        }
    }
    text
}
