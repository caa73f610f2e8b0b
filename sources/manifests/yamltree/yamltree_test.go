package yamltree

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGet(t *testing.T) {
	root, _, err := Parse([]byte("a: {b: [x, 2, yes], n: null}\nb: 0x10\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := ItemsAt(root, "a", "b")
	got := []any{len(list), TextAt(list[0]), JSONValue(list[1]), JSONValue(list[2]), TextAt(root, "a", "n"), TextAt(root, "a", "b"), Get(root, "a", "x", "y") == nil,
		JSONValue(Get(root, "b")), len(ItemsAt(root, "b"))}
	if d := cmp.Diff([]any{3, "x", int64(2), true, "", "", true, int64(16), 0}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       []string
		json, fail bool
	}{
		"a stream":              {"x.yaml", "# nothing\n---\na: 1\n--- b: 2\n...\n", []string{"a: 1\n", "--- b: 2\n...\n"}, false, false},
		"values of JSON":        {"x.yaml", " {\"a\": 1}\n[2]\n", []string{`{"a": 1}`, "[2]"}, true, false},
		"flow style is no JSON": {"x.yaml", "{a: 1}\n", []string{"{a: 1}\n"}, false, false},
		"a name is believed":    {"x.json.gz", "a: 1\n", nil, true, true},
		"nothing, as JSON":      {"x.json", "", nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			docs, json, err := CutDocuments(c.file, []byte(c.text))
			var got []string
			for _, d := range docs {
				got = append(got, c.text[d.Body:d.End])
			}
			if d := cmp.Diff(c.want, got); d != "" || json != c.json || (err != nil) != c.fail {
				t.Errorf("json %v, error %v (-want +got)\n%s", json, err, d)
			}
		})
	}
}

// A value that was read is the same once it is written, in block style and on one line.
func FuzzMarshal(f *testing.F) {
	for _, s := range []string{"a: &a {b: 1, c: [yes, 'no', 1e3, ~]}\nd: {<<: *a, e: |\n  x\n\n   y\n}", "{\"a\": [1, {\"b\": \"\\u0000\"}]}", "? {b: c}\n: - d\n",
		"a: \"\\ttab \\r\\n\\x7f\\ufeff\"\n", "- 1_000\n- 0o7\n- 12:30\n- 2026-01-01\n- =\n", "a: \"x\\n \"\n", "-0.0", "\"\\x80\\uffff\\_\""} {
		f.Add([]byte(s))
	}
	// As JSON: 8.0 is written as 8.
	read := func(text []byte) (v any, asJSON string) {
		root, err := ParseFlat(text, 1000)
		if err != nil || root == nil {
			return nil, ""
		}
		v = JSONValue(root)
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return v, string(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, want := read(text)
		if v == nil {
			return
		}
		for how, out := range map[string][]byte{"Marshal": Marshal(v), "Flow": []byte(FlowText(v))} {
			if _, again := read(out); again != want {
				t.Errorf("%s: %s\nis read as %s\n%q", how, want, again, out)
			}
		}
	})
}

// Blanks, tabs and line ends in any order come back as they were.
func TestBlanksComeBack(t *testing.T) {
	texts := []string{""}
	for range 6 {
		var longer []string
		for _, s := range texts {
			for _, c := range []string{"a", " ", "\t", "\n"} {
				longer = append(longer, s+c)
			}
		}
		for _, s := range longer {
			for _, v := range []any{s, map[string]any{"k": s}, []any{s, "z"}} {
				root, err := ParseFlat(Marshal(v), 1000)
				if err != nil || root == nil {
					t.Fatalf("%q: %v", s, err)
				}
				if got := JSONValue(root); !reflect.DeepEqual(got, v) {
					t.Fatalf("%q is read as %q from %q", v, got, Marshal(v))
				}
			}
		}
		texts = longer
	}
}
