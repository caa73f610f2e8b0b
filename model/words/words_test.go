package words

import (
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	for want, got := range map[string]string{
		"0 pods": Count(0, "pod"), "1 pod": Count(1, "pod"), "12 pods": Count(12, "pod"), "-1 pods": Count(-1, "pod"), "12,345 rows": Count(12345, "row"),
		"2 policies": Count(2, "policy"), "2 keys": Count(2, "key"), "2 days": Count(2, "day"), "3 addresses": Count(uint64(3), "address"),
		"2 more rows": Count(2, "more row"), "1 more row": Count(1, "more row"),
		"1 row": Count(1, "row"), "1,000,000 tries": Count(1000000, "try"),
		"12345": PlainNumber("12,345"), "-1000": PlainNumber("-1,000"), "1,2": PlainNumber("1,2"), "80,8080": PlainNumber("80,8080"), "7 of 1,000": PlainNumber("7 of 1,000"),
		"0": Thousands(0), "999": Thousands(999), "-999": Thousands(-999), "-1,000": Thousands(-1000),
		"0 B": Size(0), "1023 B": Size(1023), "1.0 KiB": Size(1024), "3.5 MiB": Size(7 << 19), "2.0 GiB": Size(2 << 30), "4096.0 TiB": Size(1 << 52),
		"is": OneOrMany(1, "is", "are"), "are": OneOrMany(0, "is", "are"), "none": OrNone(""), "a": OrNone("a"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct{ names, list, cut, few, some string }{
		{"", "", "", "", ""},
		{"a", "a", "a", "a", "a"},
		{"a b", "a and b", "a; b", "a, b", "a and b"},
		{"a b c", "a, b and c", "a; b; c", "a, b, c", "a, b and c"},
		{"a b c d", "a, b, c and 1 more", "a; b; c and 1 more", "a, b, c, d", "a, b, c and d"},
		{"a b c d e", "a, b, c and 2 more", "a; b; c and 2 more", "a, b, c and 2 more", "a, b, c and 2 more"},
	} {
		names := strings.Fields(c.names)
		for want, got := range map[string]string{c.list: List(names, 3), c.cut: JoinAtMost(names, "; ", 3)} {
			if got != want {
				t.Errorf("%s: %q, want %q", c.names, got, want)
			}
		}
		if got := ListFew(names, 3); got != c.few {
			t.Errorf("%s: %q, want %q", c.names, got, c.few)
		}
		if got := ListSome(names, 3); got != c.some {
			t.Errorf("%s: %q, want %q", c.names, got, c.some)
		}
	}
}
