package command

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
)

// renderer writes a JSON value.
type renderer = func(b *bytes.Buffer, value any) error

// Form is a parsed template of -o.
type Form struct {
	name, text string
	template   string // text, or the template in the file
	render     renderer
	// Set if the form prints a line for each object of an answer.
	Rows bool
}

// templateKind is a kind of template.
type templateKind struct {
	name  string
	parse func(text string) (renderer, error)
	file  func(text string) (string, error) // converts the text of a template file; nil if it needs no conversion
	rows  bool
	bare  bool // no form reads such a template from a file
}

var templateKinds = []templateKind{
	{name: "jsonpath", parse: func(text string) (renderer, error) { return parseJSONPath(text, false) }},
	{name: "jsonpath-as-json", bare: true, parse: func(text string) (renderer, error) { return parseJSONPath(text, true) }},
	{name: "custom-columns", parse: parseColumns, file: columnsOfFile, rows: true},
}

// fileEnd ends the names of forms that read their template from a file.
const fileEnd = "-file"

// FormNames returns the names of the forms, in order.
func FormNames() (out []string) {
	for _, w := range templateKinds {
		out = append(out, w.name)
		if !w.bare {
			out = append(out, w.name+fileEnd)
		}
	}
	return out
}

// ParseForm parses NAME=TEMPLATE. It returns nil for other values of -o. read reads a file.
func ParseForm(output string, read func(path string) (string, error)) (*Form, error) {
	name, text, given := strings.Cut(output, "=")
	base, isFile := strings.CutSuffix(name, fileEnd)
	if base == "go-template" {
		return nil, fmt.Errorf("-o %s is no longer a form: use -o jsonpath=… or -o custom-columns=…", name)
	}
	for _, w := range templateKinds {
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

// explain returns an error on one line, preceded by the form.
func (f *Form) explain(err error) error {
	return fmt.Errorf("-o %s=%s: %s", f.name, f.text, strings.Join(strings.Fields(err.Error()), " "))
}

// Print renders JSON text in the form.
func (f *Form) Print(raw []byte) (_ []byte, err error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil { // keeps integers
		return nil, fmt.Errorf("read back JSON: %w", err)
	}
	if list, ok := value.([]any); ok && !f.Rows && asksForItems.MatchString(f.template) {
		value = map[string]any{"items": list} // like a list of kubectl
	}
	defer func() {
		if p := recover(); p != nil { // a library panics on a user's template
			err = f.explain(fmt.Errorf("%v", p))
		}
	}()
	var b bytes.Buffer
	if err := f.render(&b, value); err != nil {
		return nil, f.explain(err)
	}
	return b.Bytes(), nil
}

// asksForItems recognises a template that expects a list in .items, as kubectl has it.
var asksForItems = regexp.MustCompile(`^\s*items\b|(^|[^\w\])])\.items\b`)
