package clean

import "testing"

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
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if Is(tt.in) != (tt.in == tt.want) {
				t.Errorf("Is(%q) = %v", tt.in, Is(tt.in))
			}
			if !Is(Text(tt.in)) {
				t.Errorf("Text(%q) is not clean", tt.in)
			}
		})
	}
	if got := Block("a\n\tb\x1b\r\n"); got != "a\n\tb\ufffd\ufffd\n" {
		t.Errorf("Block = %q", got)
	}
	if n := testing.AllocsPerRun(100, func() { Text("cluster-control") }); n > 0 {
		t.Errorf("a clean string costs %v allocations", n)
	}
}
