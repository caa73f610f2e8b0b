package command

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"sigs.k8s.io/yaml"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/sources/files"
	"rung/system"
)

// TextTable is a table for people: columns padded to their contents and separated by two spaces, without
// trailing spaces.
type TextTable struct {
	Head []string
	Rows [][]string
}

// AddRow adds a row. It marks cells that name an action, a verdict or a severity.
func (t *TextTable) AddRow(cells ...string) {
	t.Rows = append(t.Rows, model.MapList(cells, func(c string) string {
		if strings.Contains(c, markStart) {
			return c
		}
		return PaintWord(c)
	}))
}

func (t *TextTable) columnWidths() []int {
	widths := make([]int, len(t.Head))
	for _, row := range t.lines() {
		for i := range row {
			if i == len(t.Head)-1 || i < min(len(widths), len(row)-1) {
				widths[i] = max(widths[i], ansi.StringWidth(row[i]))
			}
		}
	}
	return widths
}

func (t *TextTable) lines() [][]string { return append([][]string{t.Head}, t.Rows...) }

// String returns the table with its cells marked.
func (t *TextTable) String() string {
	widths := t.columnWidths()
	var b strings.Builder
	for _, row := range t.lines() {
		last := len(row) - 1
		for last > 0 && strings.TrimSpace(row[last]) == "" {
			last--
		}
		for i, c := range row[:last+1] {
			b.WriteString(newMark(cellMark))
			if i == last {
				b.WriteString(strings.TrimRight(c, " "))
				break
			}
			b.WriteString(c + strings.Repeat(" ", widths[i]-ansi.StringWidth(c)+2))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// PrintAnswer writes an answer in the requested form, through the requested pager if it does not fit on the
// screen.
func (a *App) PrintAnswer(ans *Answer) error {
	pager := PagerNamed(a.Flags.UI.pager, os.Getenv)
	if pager == "" || !IsTerminal(a.Raw) {
		return a.writeAnswer(a.Out, ans, false)
	}
	var text bytes.Buffer
	if err := a.writeAnswer(cleanWriter{&text, a}, ans, false); err != nil {
		return err
	}
	if !FitsScreen(text.String(), a.Raw) {
		err := ShowPaged(pager, text.String(), a.Raw, os.Stderr, a.ended)
		if err == nil {
			return nil
		}
		fmt.Fprintln(a.Err, "rung: printed without a pager: "+words.CleanLine(err.Error()))
	}
	_, err := a.Raw.Write(text.Bytes())
	return err
}

// SaveAnswer writes an answer to a file, whole or not at all, and returns the error of its verdict.
func (a *App) SaveAnswer(ans *Answer, path string) error {
	var text bytes.Buffer
	if err := a.writeAnswer(cleanWriter{&text, nil}, ans, false); err != nil {
		return err
	}
	if err := files.SaveFile(files.OrSystem(nil), path, text.Bytes()); err != nil {
		return fmt.Errorf("write the report %s: %w", path, err)
	}
	return a.answerError(ans)
}

// writeAnswer writes an answer. compact puts JSON on one line, so that a series of answers can be read line by
// line.
func (a *App) writeAnswer(w io.Writer, ans *Answer, compact bool) (err error) {
	var text string
	out, below, form := a.OmissionsOut(ans.NotConsidered), ans.leftOutLines(a), a.Flags.Output
	switch {
	case a.template != nil:
		return writeTemplate(a, w, ans, out)
	case slices.Contains(Forms, form) && ans.Report != nil:
		return writeReport(a, w, ans, out)
	case form == "json" && ans.Items != nil:
		return ans.Items.writeJSON(a, w, out, compact)
	case form == "json":
		raw, err := encodeJSON(a.addOmissions(ans.Value, out), compact)
		if err == nil {
			_, err = w.Write(words.CleanJSON(raw))
		}
		return err
	case form == "yaml":
		value := ans.Value
		if ans.Items != nil {
			value = ans.Items.wholeValue(false)
		}
		if text, err = marshalYAML(a.addOmissions(value, out)); err != nil {
			return fmt.Errorf("write YAML: %w", err)
		}
	case form == MarkdownForm && ans.Markdown != nil:
		text = ans.Markdown() + below
		if !ans.ShowsOmissions {
			text += MarkdownOmitted(out)
		}
	case form == CSVForm && ans.CSV != nil:
		text = ans.CSV()
	case form == NameForm && ans.Names != nil:
		for _, name := range ans.Names() {
			text += words.CleanLine(name) + "\n"
		}
	case form == CSVForm, form == NameForm, form == MarkdownForm, slices.Contains(Forms, form):
		return fmt.Errorf("-o %s is not available with these flags: use table, wide, json or yaml", form)
	case form == DotForm, form == SVGForm, form == HTMLForm:
		text = ans.Drawing(form)
	case form == NbctlForm, system.SystemOfForm(form) != nil:
		text = ans.Records()
	case ans.Items != nil && ans.Text == nil:
		if text, err = ans.Items.itemsText(form == "wide"); err != nil {
			return err
		}
		text += ans.omittedLines(a.OmissionsOut(ans.NotConsidered)) // known only now
	default:
		text = ans.Text(form == "wide") + below + ans.omittedLines(out)
	}
	if slices.Contains([]string{CSVForm, NameForm, DotForm, SVGForm, HTMLForm, NbctlForm}, form) || system.SystemOfForm(form) != nil {
		a.printOmitted(out) // on stderr even if a drawing has them: nobody sees the written file
	}
	_, err = io.WriteString(w, text)
	return err
}

// PrintsValues reports whether answers are printed for programs: JSON, YAML or a template.
func (a *App) PrintsValues() bool {
	return a.template != nil || a.Flags.Output == "json" || a.Flags.Output == "yaml"
}

// writeTemplate writes an answer by the template of -o. Omissions go to stderr, and into the value for
// templates that ask for them.
func writeTemplate(a *App, w io.Writer, ans *Answer, out []OmissionOut) error {
	value := ans.Value
	switch {
	case ans.Items != nil:
		value = ans.Items.wholeValue(a.template.Rows)
		out = a.OmissionsOut(ans.NotConsidered) // known only now
	case ans.Objects != nil && a.template.Rows:
		value = ans.Objects
	}
	raw, err := encodeJSON(a.addOmissions(value, out), true)
	if err != nil {
		return err
	}
	text, err := a.template.Print(raw)
	if err != nil {
		return err
	}
	a.printOmitted(out)
	_, err = w.Write(text)
	return err
}

// jsonObject is a JSON object with its members in order. It begins with the members of an object without a name,
// and leaves out members without a value.
type jsonObject []jsonMember

type jsonMember struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o jsonObject) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for _, m := range o {
		if m.value == nil {
			continue
		}
		raw, err := encodeJSON(m.value, true)
		if err != nil {
			return nil, err
		}
		raw = bytes.TrimSpace(raw)
		if m.name == "" {
			raw = raw[1 : len(raw)-1]
		} else {
			raw = slices.Concat([]byte(strconv.Quote(m.name)+":"), raw)
		}
		if len(out) > 1 && len(raw) > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, '}'), nil
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

// marshalYAML writes a value as YAML. A value with invisible characters is written as JSON, which is valid
// YAML, with the characters escaped.
func marshalYAML(v any) (string, error) {
	out, err := yaml.Marshal(v)
	if err != nil || words.CleanBlock(string(out)) == string(out) {
		return string(out), err
	}
	out, err = encodeJSON(v, false)
	return words.Escape(string(out)), err
}

// cleanWriter writes text for people. Invisible characters become JSON escapes, which mean the same inside a
// string. Marks become styles and tables fit the terminal, if the app has a look. Every Write must be a whole
// text.
type cleanWriter struct {
	w io.Writer
	a *App
}

func (c cleanWriter) Write(p []byte) (int, error) {
	if _, err := c.w.Write(c.a.finishText(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// PrintItem writes an answer of a series: JSON on a line of its own, YAML as a document.
func (a *App) PrintItem(v any, text func(wide bool) string) error {
	if a.Flags.Output == "yaml" {
		if _, err := io.WriteString(a.Out, "---\n"); err != nil {
			return err
		}
	}
	return a.writeAnswer(a.Out, &Answer{Value: v, Text: text}, true)
}

// ListMembers lists the first members, or all if wide.
func ListMembers(m []string, wide bool) string {
	s := fmt.Sprint(len(m))
	for i, v := range m {
		if i == 4 && !wide {
			return s + " …"
		}
		s += " " + v
	}
	return s
}

// ShortID drops the owner that all rows of the default network share.
func ShortID(id string, wide bool) string {
	if wide {
		return id
	}
	return strings.TrimPrefix(id, nb.DefaultController+":")
}

// TableAnswer returns the rows of a page's table as an answer; facts are its JSON and YAML.
func TableAnswer[F any](a *App, facts any, t *page.Table[F], rows []F) *Answer {
	ans := &Answer{Value: facts}
	if t.Head != nil {
		rows = slices.DeleteFunc(slices.Clone(rows), t.Head)
	}
	ans.Text = func(wide bool) string { return TableText(t, rows, wide, TerminalWidth(a.Raw)) }
	ans.CSV = func() string {
		cols := t.PrintedColumns()
		lines := model.MapList(rows, func(row F) []string { return ExactCells(cols, row) })
		return CSVText(model.MapList(cols, func(c page.Column[F]) string { return c.Key }), lines)
	}
	ans.Markdown = func() string { return MarkdownTable(t, rows) }
	return ans
}

// CSVText returns lines in CSV; without a head it has no titles.
func CSVText(head []string, lines [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b) // in memory: no errors
	if head != nil {
		_ = w.Write(head)
	}
	for _, cells := range lines {
		_ = w.Write(model.MapList(cells, words.Escape))
	}
	w.Flush()
	return b.String()
}

// MarkdownTable returns a page's table in markdown.
func MarkdownTable[F any](t *page.Table[F], rows []F) string {
	cols := t.SeenColumns(rows, false)
	return MarkdownRows(model.MapList(cols, columnTitle[F]), model.MapList(cols, func(c page.Column[F]) bool { return c.Right }),
		model.MapList(rows, func(row F) []string {
			return model.MapList(cols, func(c page.Column[F]) string { return c.Cell(row).String() })
		}))
}

// MarkdownRows returns a table in markdown. right says of each column whether it is right-aligned.
func MarkdownRows(head []string, right []bool, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(model.MapList(cells, MarkdownCell), " | ") + " |\n")
	}
	line(head)
	for _, r := range right {
		b.WriteString("|---")
		if r {
			b.WriteByte(':')
		}
	}
	b.WriteString("|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// MarkdownCell escapes text for a markdown table, where a row is one line.
func MarkdownCell(text string) string {
	return strings.ReplaceAll(MarkdownText(text), "\n", "<br>")
}

// leastFlex is the smallest width of a column whose text may have any length.
const leastFlex = 16

// TableText returns a page's table for people. width is the terminal's width, or 0. The least important
// columns are dropped until the others fit. Columns with text of any length wrap (FitText). wide keeps all
// columns.
func TableText[F any](t *page.Table[F], rows []F, wide bool, width int) string {
	if len(rows) == 0 && t.Empty != "" {
		return t.Empty + "\n"
	}
	cols := t.SeenColumns(rows, wide)
	for {
		out := &TextTable{Head: model.MapList(cols, columnTitle[F])}
		for _, row := range rows {
			cells := model.MapList(cols, func(c page.Column[F]) string { return paintCell(c.Cell(row)) })
			if t.Short != nil && t.Short(row) {
				last := slices.IndexFunc(cols, func(c page.Column[F]) bool { return c.Name })
				cells = cells[:last+1]
			}
			if t.Under != nil && t.Under(row) {
				cells[0] = "  " + cells[0]
			}
			out.AddRow(cells...)
		}
		needs := 2 * (len(cols) - 1)
		for i, w := range out.columnWidths() {
			if cols[i].Flex { // it wraps
				w = min(w, max(cols[i].Min, leastFlex))
			}
			needs += w
		}
		least := slices.MinFunc(cols, func(a, b page.Column[F]) int { return a.Importance - b.Importance }).Importance
		if wide || width <= 0 || least >= page.Always || needs <= width {
			return out.String()
		}
		cols = slices.DeleteFunc(cols, func(c page.Column[F]) bool { return c.Importance == least })
	}
}

func columnTitle[F any](c page.Column[F]) string { return c.Title }

// ExactCells returns the cells of a row for programs, with numbers without commas.
func ExactCells[F any](cols []page.Column[F], row F) []string {
	return model.MapList(cols, func(c page.Column[F]) string {
		exact := ""
		if c.Exact != nil {
			exact = c.Exact(row)
		}
		return cmp.Or(exact, words.PlainNumber(c.Cell(row).String()))
	})
}

// MarkdownLines converts lines of text to markdown, keeping the line breaks.
func MarkdownLines(text string) string {
	return strings.ReplaceAll(MarkdownText(strings.TrimSpace(text)), "\n", "  \n")
}

// MarkdownText escapes text for markdown. Forges turn addresses into links and @names into mentions; invisible
// characters prevent that.
func MarkdownText(s string) string { return markdownEscapes.Replace(s) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "&", "&amp;", "<", "&lt;", ">", "&gt;",
	"[", `\[`, "]", `\]`, "#", `\#`,
	"~", `\~`, "@", "@<!-- -->", "://", "&#58;//", "www.", "www&#46;")
