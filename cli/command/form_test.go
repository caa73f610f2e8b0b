package command

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func readFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}

const (
	list = `[{"name":"a","n":20000000,"on":true,"in":{"deep":"x"},"tags":["p","q"]},
{"name":"b","n":2,"on":false,"in":null,"tags":[]}]`
	object = `{"kind":"Tier","rows":[{"id":1},{"id":2}],"half":0.5,"text":"YQ=="}`
)

// Templates print what kubectl prints of the same JSON (TestForms of test/kube compares); a
// list is there as itself, and as kubectl's items.
func TestPrint(t *testing.T) {
	for _, c := range []struct{ output, raw, want string }{
		{`jsonpath={[*].name}`, list, "a b"},
		{`jsonpath={.items[*].name}`, list, "a b"},
		{`jsonpath=.items[*].name`, list, "a b"},
		{`jsonpath=items[0].n`, list, "20000000"},
		{`jsonpath=[1].name`, list, "b"},
		{`jsonpath={range [*]}{.name}={.n}{"\n"}{end}`, list, "a=20000000\nb=2\n"},
		{`jsonpath={range .items[*]}{.name}{"\t"}{.in.deep}{"\n"}{end}`, list, "a\tx\nb\t\n"},
		{`jsonpath={.items[?(@.n>5)].name}`, list, "a"},
		{`jsonpath={.items[-1:].name}`, list, "b"},
		{`jsonpath={.items[*].nothing}`, list, ""},
		{`jsonpath={.nothing.at.all}`, object, ""},
		{`jsonpath={.kind}: {.rows}`, object, `Tier: [{"id":1},{"id":2}]`},
		{`jsonpath=.kind`, object, "Tier"},
		{`jsonpath=kind`, object, "Tier"},
		{`jsonpath={.half}`, object, "0.5"},
		{`jsonpath-as-json={.rows[*].id}`, object, "[\n    1,\n    2\n]\n"},
		{`custom-columns=NAME:.name,N:n,DEEP:{.in.deep},TAGS:.tags[*]`, list,
			"NAME   N          DEEP     TAGS\na      20000000   x        p,q\nb      2          <none>   <none>\n"},
		{`custom-columns=ID:.rows[*].id,NAME:.metadata.name`, object, "ID    NAME\n1,2   <none>\n"},
		{`custom-columns=NAME:.name`, `[]`, "NAME\n"},
		{`custom-columns=NAME:.name`, `[{"name":"\u001b[31mred"}]`, "NAME\n\\x1b[31mred\n"},
	} {
		f, err := ParseForm(c.output, readFile)
		if err != nil || f == nil {
			t.Errorf("%s: %v, %v", c.output, f, err)
			continue
		}
		if got, err := f.Print([]byte(c.raw)); err != nil || string(got) != c.want {
			t.Errorf("-o %s: %q, %v, want %q", c.output, got, err, c.want)
		}
	}
}

// Answers that follow each other have the titles once, and columns that do not become narrower.
func TestColumnsGoOn(t *testing.T) {
	f, err := ParseForm("custom-columns=NAME:.name,N:.n", readFile)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, raw := range []string{`{"name":"long-name","n":1}`, `{"name":"b","n":2}`} {
		text, err := f.Print([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		got.Write(text)
	}
	if want := "NAME        N\nlong-name   1\nb           2\n"; got.String() != want {
		t.Errorf("%q, want %q", got.String(), want)
	}
}

// What is wrong with a template is one line that names it; other forms are none of these.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ output, raw, want string }{
		{"jsonpath", "", "-o jsonpath needs a template behind it: -o jsonpath=…"},
		{"jsonpath=", "", "-o jsonpath needs a template behind it: -o jsonpath=…"},
		{"custom-columns-file", "", "-o custom-columns-file needs a file behind it: -o custom-columns-file=…"},
		{"jsonpath={.items[", "", "-o jsonpath={.items[: unterminated array"},
		{"custom-columns=NAME", "", `-o custom-columns=NAME: "NAME": want TITLE:PATH, such as NAME:.name`},
		{"custom-columns=NAME:.a[", "", "-o custom-columns=NAME:.a[: {.a[}: unterminated array"},
		{"go-template={{.name}}", "", "-o go-template is no longer a form: use -o jsonpath=… or -o custom-columns=…"},
		{"go-template-file=x", "", "-o go-template-file is no longer a form: use -o jsonpath=… or -o custom-columns=…"},
		{"jsonpath-file=nowhere", "", "-o jsonpath-file=nowhere: no such file"},
		{"jsonpath={.rows[5].id}", object, "-o jsonpath={.rows[5].id}: array index out of bounds: index 5, length 2"},
		{"jsonpath={end}", object, "-o jsonpath={end}: not in range, nothing to end"},
	} {
		f, err := ParseForm(c.output, func(string) (string, error) { return "", errors.New("no such\nfile") })
		if err == nil {
			_, err = f.Print([]byte(c.raw))
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("-o %s: %v, want %s", c.output, err, c.want)
		}
	}
	for _, output := range []string{"table", "json", "name", "jsonpaths={.x}", "jsonpath-as-json-file=x"} {
		if f, err := ParseForm(output, readFile); f != nil || err != nil {
			t.Errorf("-o %s: %v, %v", output, f, err)
		}
	}
}

// A template may stand in a file; columns there have their titles above their paths.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"path": `{.items[*].name}`, "columns": "NAME  N\n.name .n\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for output, want := range map[string]string{"jsonpath-file=path": "a b",
		"custom-columns-file=columns": "NAME   N\na      20000000\nb      2\n"} {
		f, err := ParseForm(output, readFile)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Print([]byte(list)); err != nil || string(got) != want {
			t.Errorf("-o %s: %q, %v, want %q", output, got, err, want)
		}
	}
}
