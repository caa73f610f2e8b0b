package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"sigs.k8s.io/yaml"

	"rung/model/clean"
	"rung/model/ovn/nb"
)

// tableOut is a table for people: columns padded to their contents, two spaces
// between, nothing behind the last.
type tableOut struct {
	head []string
	rows [][]string
}

func (t *tableOut) add(cells ...string) { t.rows = append(t.rows, cells) }

// widths are those of the columns, the last one's as well.
func (t *tableOut) widths() []int {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i := range row {
			row[i] = clean.Escape(row[i]) // before its width counts
			if i == len(t.head)-1 || i < min(len(widths), len(row)-1) {
				widths[i] = max(widths[i], ansi.StringWidth(row[i]))
			}
		}
	}
	return widths
}

func (t *tableOut) String() string {
	widths := t.widths()
	var b strings.Builder
	for _, row := range append([][]string{t.head}, t.rows...) {
		line := ""
		for i, c := range row {
			if i == len(row)-1 {
				line += c
				break
			}
			line += c + strings.Repeat(" ", widths[i]-ansi.StringWidth(c)+2)
		}
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// print writes an answer in the form that was asked for.
func (a *app) print(ans *answer) error { return a.write(a.out, ans, false) }

// hasNoForm says that the command has the form asked for, and what its flags ask for has not.
func hasNoForm(form string) error {
	return fmt.Errorf("with these flags there is no -o %s: take table, wide, json or yaml", form)
}

// write writes an answer. compact puts JSON on one line, so that answers that
// follow each other can be read line by line.
func (a *app) write(w io.Writer, ans *answer, compact bool) error {
	var text string
	out := a.omittedOut(ans.notConsidered)
	switch a.flags.output {
	case "json":
		if ans.items != nil {
			return ans.items.json(w, compact)
		}
		return writeJSON(w, a.beside(ans.value, out), compact)
	case "yaml":
		value := ans.value
		if ans.items != nil {
			value = ans.items.all()
		}
		raw, err := marshalYAML(a.beside(value, out))
		if err != nil {
			return fmt.Errorf("write YAML: %w", err)
		}
		text = string(raw)
	case markdownForm:
		if ans.markdown == nil {
			return hasNoForm(a.flags.output)
		}
		text = ans.markdown() + mdOmitted(out)
	case junitForm:
		out, err := ans.junit()
		if err != nil {
			return fmt.Errorf("write JUnit: %w", err)
		}
		text = out
	case csvForm:
		if ans.csv == nil {
			return hasNoForm(a.flags.output)
		}
		text = ans.csv()
		a.sayOmitted(out)
	case nbctlForm, antctlForm:
		text = ans.records()
		a.sayOmitted(out)
	default:
		wide := a.flags.output == "wide"
		if ans.items == nil {
			text = ans.text(wide) + ans.omitted(out)
			break
		}
		var err error
		if text, err = ans.items.text(wide); err != nil {
			return err
		}
		text += omittedText(a.omittedOut(ans.notConsidered)) // known only now
	}
	_, err := io.WriteString(w, text)
	return err
}

func writeJSON(w io.Writer, v any, compact bool) error {
	raw, err := encodeJSON(v, compact)
	if err != nil {
		return err
	}
	_, err = w.Write(clean.JSON(raw))
	return err
}

func encodeJSON(v any, compact bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	if !compact {
		enc.SetIndent("", "  ")
	}
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return b.Bytes(), nil
}

// marshalYAML writes a value as YAML. Where text has what cannot be seen the
// value is written in the form of JSON, which is YAML too, with escapes of YAML
// that mean the same.
func marshalYAML(v any) ([]byte, error) {
	out, err := yaml.Marshal(v)
	if err != nil || clean.Block(string(out)) == string(out) {
		return out, err
	}
	raw, err := encodeJSON(v, false)
	return []byte(clean.Escape(string(raw))), err
}

// cleanWriter is where everything that people read goes: what cannot be seen is
// written as an escape of JSON, in which it means the same inside a string.
// Every Write is whole text.
type cleanWriter struct{ w io.Writer }

func (c cleanWriter) Write(p []byte) (int, error) {
	if _, err := c.w.Write(clean.JSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// item writes one answer of many that come one after the other: JSON on a line
// of its own, YAML as a document.
func (a *app) item(v any, text func(wide bool) string) error {
	if a.flags.output == "yaml" {
		if _, err := io.WriteString(a.out, "---\n"); err != nil {
			return err
		}
	}
	return a.write(a.out, &answer{value: v, text: text}, true)
}

// members lists some of the members; wide all of them.
func members(m []string, wide bool) string {
	s := fmt.Sprint(len(m))
	for i, v := range m {
		if i == 4 && !wide {
			return s + " …"
		}
		s += " " + v
	}
	return s
}

// shortID leaves out the owner every row of the default network shares.
func shortID(id string, wide bool) string {
	if wide {
		return id
	}
	return strings.TrimPrefix(id, nb.DefaultController+":")
}
