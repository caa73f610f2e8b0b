package command

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
)

// renderer writes a value of JSON.
type renderer = func(b *bytes.Buffer, value any) error

// Form is a template with the way in which it is read.
type Form struct {
	name, text string
	template   string // text, or that of the file
	render     renderer
	// Rows says that the form has a line for each object of an answer.
	Rows bool
}

// way is how templates are read.
type way struct {
	name  string
	parse func(text string) (renderer, error)
	file  func(text string) (string, error) // of a file that is written otherwise; nil: the same
	rows  bool
	bare  bool // there is no form that reads a file
}

var ways = []way{
	{name: "jsonpath", parse: func(text string) (renderer, error) { return parseJSONPath(text, false) }},
	{name: "jsonpath-as-json", bare: true, parse: func(text string) (renderer, error) { return parseJSONPath(text, true) }},
	{name: "custom-columns", parse: parseColumns, file: columnsOfFile, rows: true},
}

// fileEnd is behind the names of forms that read their template from a file.
const fileEnd = "-file"

// FormNames returns the names of the forms, in order.
func FormNames() (out []string) {
	for _, w := range ways {
		out = append(out, w.name)
		if !w.bare {
			out = append(out, w.name+fileEnd)
		}
	}
	return out
}

// ParseForm reads a form, NAME=TEMPLATE; nil where the text names none. read reads a file.
func ParseForm(output string, read func(path string) (string, error)) (*Form, error) {
	name, text, given := strings.Cut(output, "=")
	base, isFile := strings.CutSuffix(name, fileEnd)
	if base == "go-template" {
		return nil, fmt.Errorf("-o %s is no longer a form: use -o jsonpath=… or -o custom-columns=…", name)
	}
	for _, w := range ways {
		if w.name != base || isFile && w.bare {
			continue
		}
		if !given || text == "" {
			what := "a template"
			if isFile {
				what = "a file"
			}
			return nil, fmt.Errorf("-o %s needs %s behind it: -o %s=…", name, what, name)
		}
		f := &Form{name: name, text: text, Rows: w.rows}
		err := error(nil)
		if isFile {
			if text, err = read(text); err == nil && w.file != nil {
				text, err = w.file(text)
			}
		}
		f.template = text
		if err == nil {
			f.render, err = w.parse(text)
		}
		if err != nil {
			return nil, f.explain(err)
		}
		return f, nil
	}
	return nil, nil
}

// explain puts the form before an error, on one line.
func (f *Form) explain(err error) error {
	return fmt.Errorf("-o %s=%s: %s", f.name, f.text, strings.Join(strings.Fields(err.Error()), " "))
}

// Print returns what the form makes of a text of JSON.
func (f *Form) Print(raw []byte) (_ []byte, err error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil { // whole numbers stay whole
		return nil, fmt.Errorf("read back JSON: %w", err)
	}
	if list, ok := value.([]any); ok && !f.Rows && asksForItems.MatchString(f.template) {
		value = map[string]any{"items": list} // as kubectl has lists
	}
	defer func() {
		if p := recover(); p != nil { // a library about a template that is somebody's
			err = f.explain(fmt.Errorf("%v", p))
		}
	}()
	var b bytes.Buffer
	if err := f.render(&b, value); err != nil {
		return nil, f.explain(err)
	}
	return b.Bytes(), nil
}

// asksForItems recognises a template that takes a list for kubectl's, which has its objects in
// items.
var asksForItems = regexp.MustCompile(`^\s*items\b|(^|[^\w\])])\.items\b`)
