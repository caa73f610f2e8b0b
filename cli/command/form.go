package command

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"

	"rung/model"
	"rung/model/words"
)

type renderer = func(b *bytes.Buffer, value any) error

// Form is a parsed template of -o.
type Form struct {
	name, text string
	template   string // text, or the template in the file
	render     renderer
	// Set if the form prints a line for each object of an answer.
	Rows bool
}

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

// columns is a table of kubectl -o custom-columns. It keeps the column widths printed so far for later lines.
type columns struct {
	titles, paths []string
	widths        []int
	titled        bool
}

// Smallest width of kubectl's columns, and the spaces behind them.
const leastColumn, columnGap = 6, 3

func parseColumns(text string) (renderer, error) {
	c := &columns{}
	for part := range strings.SplitSeq(text, ",") {
		title, path, ok := strings.Cut(part, ":")
		if !ok || path == "" {
			return nil, fmt.Errorf("%q: want TITLE:PATH, such as NAME:.name", part)
		}
		path = relaxPath(path)
		if err := jsonpath.New("column").Parse(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		c.titles, c.paths = append(c.titles, title), append(c.paths, path)
	}
	c.widths = make([]int, len(c.titles))
	return c.render, nil
}

// columnsOfFile reads a file with the titles in its first line and the paths in its second.
func columnsOfFile(text string) (string, error) {
	titles, rest, _ := strings.Cut(text, "\n")
	paths, _, _ := strings.Cut(rest, "\n")
	left, right := strings.Fields(titles), strings.Fields(paths)
	if len(left) == 0 || len(left) != len(right) {
		return "", errors.New("want a line of titles and a line of as many paths, with spaces between")
	}
	for i := range left {
		left[i] += ":" + right[i]
	}
	return strings.Join(left, ","), nil
}

// render writes the titles once, then a line for each object, or for the single object.
func (c *columns) render(b *bytes.Buffer, value any) error {
	objects, ok := value.([]any)
	if !ok {
		objects = []any{value}
	}
	var lines [][]string
	if !c.titled {
		lines, c.titled = append(lines, c.titles), true
	}
	for _, o := range objects {
		cells := make([]string, len(c.paths))
		for i, path := range c.paths {
			cell, err := jsonpathCell(o, path)
			if err != nil {
				return err
			}
			cells[i] = cell
		}
		lines = append(lines, cells)
	}
	for _, line := range lines {
		for i, cell := range line {
			c.widths[i] = max(c.widths[i], leastColumn, ansi.StringWidth(cell)+columnGap)
		}
	}
	for _, line := range lines {
		for i, cell := range line {
			b.WriteString(cell)
			if i < len(line)-1 {
				b.WriteString(strings.Repeat(" ", c.widths[i]-ansi.StringWidth(cell)))
			}
		}
		b.WriteByte('\n')
	}
	return nil
}

// jsonpathCell returns the values that a path finds in an object, separated by commas.
func jsonpathCell(object any, path string) (string, error) {
	j := jsonpath.New("column").AllowMissingKeys(true)
	if err := j.Parse(path); err != nil {
		return "", err
	}
	found, err := j.FindResults(object)
	if err != nil {
		return "", err
	}
	if len(found) == 0 || len(found[0]) == 0 {
		return "<none>", nil
	}
	texts := model.MapList(slices.Concat(found...), func(v reflect.Value) string { return words.Escape(fmt.Sprint(v.Interface())) })
	return strings.Join(texts, ","), nil
}

// parseJSONPath parses a template of kubectl -o jsonpath. Missing keys print nothing.
func parseJSONPath(text string, asJSON bool) (renderer, error) {
	if !strings.ContainsAny(text, "{}") {
		text = relaxPath(text) // kubectl would print the text itself
	}
	path := func() (*jsonpath.JSONPath, error) {
		j := jsonpath.New("out").AllowMissingKeys(true)
		j.EnableJSONOutput(asJSON)
		return j, j.Parse(text)
	}
	if _, err := path(); err != nil {
		return nil, err
	}
	return func(b *bytes.Buffer, value any) error {
		j, err := path() // a JSONPath keeps state, so parse again
		if err != nil {
			return err
		}
		return j.Execute(b, value)
	}, nil
}

// relaxPath completes a path to {.a.b}; the braces and the first dot may be missing.
func relaxPath(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "{"); ok && strings.HasSuffix(inner, "}") {
		text = strings.TrimSuffix(inner, "}")
	}
	if text == "" || strings.ContainsRune(".[$@", rune(text[0])) {
		return "{" + text + "}"
	}
	return "{." + text + "}"
}
