package words

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "cluster-control Ü 日本", "cluster-control Ü 日本"},
		{"escape", "\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m"},
		{"newline, tab and return", "a\nb\tc\r", "a\ufffdb\ufffdc\ufffd"},
		{"C1 control", "a\u009bb", "a\ufffdb"},
		{"bidi override", "safe\u202egnp.exe", "safe\ufffdgnp.exe"},
		{"bidi isolate and mark", "\u2066x\u2069\u200f", "\ufffdx\ufffd\ufffd"},
		{"line separator", "a\u2028b", "a\ufffdb"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb"},
		{"a replacement character that was there", "a\ufffdb", "a\ufffdb"},
		{"zero width", "a\u200bb\u200cc\u200dd\u2060e\ufefff", "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf"},
		{"tags", "a\U000e0041\U000e007fb", "a\ufffd\ufffdb"},
		{"variation selectors", "a\ufe0fb\U000e0100", "a\ufffdb\ufffd"},
		{"soft hyphen and fillers", "a\u00adb\u3164c\uffa0", "a\ufffdb\ufffdc\ufffd"},
		{"signs of Rung's own", "─│┊▲●○›…⏎·−→✗✓▸❚■±", "─│┊▲●○›…⏎·−→✗✓▸❚■±"},
		{"other scripts", "Ωé中文한글العربيةहिन्दी €", "Ωé中文한글العربيةहिन्दी €"},
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := CleanText(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if IsClean(tt.in) != (tt.in == tt.want) {
				t.Errorf("IsClean(%q) = %v", tt.in, IsClean(tt.in))
			}
			if !IsClean(CleanText(tt.in)) {
				t.Errorf("Text(%q) is not clean", tt.in)
			}
		})
	}
	if got := CleanBlock("a\n\tb\x1b\r\n"); got != "a\n\tb\ufffd\ufffd\n" {
		t.Errorf("Block = %q", got)
	}
	if n := testing.AllocsPerRun(100, func() { CleanText("cluster-control") }); n > 0 {
		t.Errorf("a clean string costs %v allocations", n)
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"a: b\n\tc\n":                "a: b\n\tc\n",
		"safe\u202egnp.exe\u2069":    `safe\u202egnp.exe\u2069`,
		"\x1b]52;c;AA\x07\u009b\r":   `\x1b]52;c;AA\x07\u009b\x0d`,
		"\U000e0041 \xff \ufe0f":     `\U000e0041 \xff \ufe0f`,
		"a replacement \ufffd stays": "a replacement \ufffd stays",
	} {
		got := Escape(in)
		if got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
		if CleanBlock(got) != got {
			t.Errorf("%q is not clean", got)
		}
	}
}

func TestJSON(t *testing.T) {
	in := map[string]string{"k\u202e": "v\u200b\U000e0041\x1b é"}
	var raw bytes.Buffer
	if err := json.NewEncoder(&raw).Encode(in); err != nil {
		t.Fatal(err)
	}
	got := CleanJSON(raw.Bytes())
	var out map[string]string
	if err := json.Unmarshal(got, &out); err != nil || !maps.Equal(in, out) {
		t.Errorf("%s: %v %q", got, err, out)
	}
	if CleanBlock(string(got)) != string(got) {
		t.Errorf("%q is not clean", got)
	}
}

func TestFrame(t *testing.T) {
	const fine = "\x1b[1;38;2;1;2;3m─ ladder ▲\x1b[0m\n\x1b[m│ é\n"
	if got := CleanFrame(fine); got != fine {
		t.Errorf("%q", got)
	}
	if n := testing.AllocsPerRun(100, func() { CleanFrame(fine) }); n > 0 {
		t.Errorf("a clean frame costs %v allocations", n)
	}
	for in, want := range map[string]string{
		"a\u202eb\u200b\ufe0f": "ab", "\x1b[2Jx": "[2Jx", "\x1b]52;c;AA\x07": "]52;c;AA", "\u009b31mx": "31mx", "a\tb\r": "ab", "\xffx": "x",
		"\x1b[": "[", "\x1b": "",
	} {
		if got := CleanFrame(in); got != want {
			t.Errorf("Frame(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("01234567\x7f01234567─\x1f")
	f.Add("a\u202eb\x1b[31m\xff\U000e0041")
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{CleanText(s), CleanBlock(s), Escape(s)} {
			if !needsNoReplacing(got, true) {
				t.Errorf("%q is left of %q", got, s)
			}
		}
		naive := utf8.ValidString(s) && strings.IndexFunc(s, isBadRune) < 0
		if IsClean(s) != naive || (CleanText(s) == s) != naive {
			t.Errorf("IsClean(%q) = %v, rune by rune %v", s, IsClean(s), naive)
		}
		if got := CleanFrame(s); firstTrouble(got, 0) >= 0 {
			t.Errorf("%q is left of %q", got, s)
		}
	})
}

// A frame is looked through sixty times a second.
func BenchmarkFrame(b *testing.B) {
	line := "\x1b[38;2;200;200;200m 34  ─ cluster-control            ns: all   \x1b[0m│ ▲ selects kube-system ────────────────\n"
	frame := strings.Repeat(line, 60)
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		CleanFrame(frame)
	}
}

func TestWithoutLogins(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.example.com:6443":                             "https://api.example.com:6443",
		"https://ada:s3cret@api.example.com:6443/x":                "https://api.example.com:6443/x",
		"https://s3cret@api.example.com":                           "https://api.example.com",
		"https://ada:s3@cret@[fd00::1]:6443":                       "https://[fd00::1]:6443",
		`Get "https://ada:s3cret@a.example/x?a=b@c": refused`:      `Get "https://a.example/x?a=b@c": refused`,
		"by socks5://s3cret@p and http://u:p@q, mail to a@b.c":     "by socks5://p and http://q, mail to a@b.c",
		"no URL: ada:s3cret@example, and https://a/b@c has a path": "no URL: ada:s3cret@example, and https://a/b@c has a path",
	} {
		if got := WithoutLogins(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
