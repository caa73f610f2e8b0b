package command

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// answerError returns the error that ends a command after its answer was printed. An omission outweighs the
// answer "no", but a fulfilled condition of --fail-on outweighs omissions (command-line.md#exit-codes).
func (a *App) answerError(ans *Answer) error {
	switch {
	case ans.Err != nil:
		return ans.Err
	case ans.FailOn:
		return ErrNo
	case len(revision.UnjudgedOmissions(ans.NotConsidered, a.Flags.AllowUnjudged...)) > 0:
		return ErrUnjudged
	case ans.No:
		return ErrNo
	}
	return nil
}

// ConcludeAnswer prints an answer and returns the error of its verdict.
func (a *App) ConcludeAnswer(ans *Answer) error {
	err := a.PrintAnswer(ans) // it may complete the verdict
	return cmp.Or(err, a.answerError(ans))
}

// OmissionOut describes an omission in JSON (command-line.md#what-was-not-considered).
type OmissionOut struct {
	Code      model.OmissionCode `json:"code"`
	Kind      model.Kind         `json:"kind,omitempty"`
	Namespace string             `json:"namespace,omitempty"`
	Name      string             `json:"name,omitempty"`
	File      string             `json:"file,omitempty"`
	Line      int                `json:"line,omitempty"`
	Zone      string             `json:"zone,omitempty"`
	// Assumed: nothing was left out, something was assumed. Allowed: --allow-unjudged accepts it as judged.
	Assumed bool   `json:"assumed,omitempty"`
	Allowed bool   `json:"allowed,omitempty"`
	Text    string `json:"text"`
	Remedy  string `json:"remedy,omitempty"`
}

// OmissionsOut converts omissions to JSON; nil for none.
func (a *App) OmissionsOut(all []model.Omission) []OmissionOut {
	if len(all) == 0 {
		return nil
	}
	return model.MapList(all, func(o model.Omission) OmissionOut {
		return OmissionOut{Code: o.Code, Kind: o.Key.Kind, Namespace: o.Key.Namespace, Name: o.Key.Name, File: o.Origin.File,
			Line: o.Origin.Line, Zone: o.Zone, Assumed: o.IsAssumption(),
			Allowed: !o.IsAssumption() && len(revision.UnjudgedOmissions([]model.Omission{o}, a.Flags.AllowUnjudged...)) == 0,
			Text:    words.CleanLine(o.String()), Remedy: words.CleanLine(o.Remedy)}
	})
}

// maxOmissions is how many omissions of one code a text lists; JSON has all.
const maxOmissions = 10

// OmittedLines describes omissions in lines, up to maxOmissions of each code.
func OmittedLines(all []OmissionOut) (out []string) {
	said := map[model.OmissionCode]int{}
	for _, o := range all {
		said[o.Code]++
		if said[o.Code] > maxOmissions {
			continue
		}
		text := o.Text
		if o.Allowed {
			text += " (allowed by --allow-unjudged)"
		}
		out = append(out, text)
	}
	for _, code := range model.OmissionCodes {
		if more := said[code] - maxOmissions; more > 0 {
			out = append(out, fmt.Sprintf("and %s more of these: %s (-o json has all)", words.Thousands(more), code))
		}
	}
	return out
}

// NotCounted names what an answer leaves out, for its first line, so that the line does not look better than
// the answer below it. It is empty if all was judged.
func NotCounted(all []model.Omission) string {
	var names []string
	for _, o := range revision.UnjudgedOmissions(all) {
		if what := o.OmittedName(); what != "" && !slices.Contains(names, what) {
			names = append(names, what)
		}
	}
	return words.CleanLine(words.ListFew(names, 3))
}

// omittedLines returns the lines about omissions below an answer, as comments if the answer is YAML.
func (ans *Answer) omittedLines(all []OmissionOut) string {
	text := strings.Join(OmittedLines(all), "\n")
	switch {
	case ans.ShowsOmissions || text == "":
		return ""
	case ans.Comments:
		return "# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n"
	}
	return "\n" + text + "\n"
}

// mostMarkdownOmitted is the most characters of a list of omissions in markdown, since comments of pull
// requests are limited.
const mostMarkdownOmitted = 10_000

// MarkdownOmitted returns the list of omissions that ends an answer in markdown.
func MarkdownOmitted(all []OmissionOut) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n### Not considered\n\n")
	lines := OmittedLines(all)
	for i, line := range lines {
		text := "- " + MarkdownText(line) + "\n"
		if i > 0 && utf8.RuneCountInString(b.String())+utf8.RuneCountInString(text) > mostMarkdownOmitted {
			b.WriteString("- and " + words.Thousands(len(lines)-i) + " more: -o json has all\n")
			break
		}
		b.WriteString(text)
	}
	return b.String()
}

// printOmitted prints omissions on stderr, for forms that have no place for them.
func (a *App) printOmitted(all []OmissionOut) {
	for _, line := range OmittedLines(all) {
		a.PrintNoticeOnce(line)
	}
}

// leftOutLines returns the lines below an answer that count what a selection left out. For forms without a
// place for them it prints them on stderr.
func (ans *Answer) leftOutLines(a *App) string {
	switch form := a.Flags.Output; {
	case ans.LeftOut == "":
		return ""
	case a.template == nil && (form == "table" || form == "wide"):
		return "\n" + ans.LeftOut + "\n"
	case a.template == nil && form == MarkdownForm:
		return "\n" + MarkdownText(ans.LeftOut) + "\n"
	}
	a.PrintNoticeOnce(ans.LeftOut)
	return ""
}

// PrintNotice prints lines on stderr.
func (a *App) PrintNotice(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(a.Err, "rung: "+words.CleanLine(line))
	}
}

// PrintNoticeOnce prints a line on stderr, unless it is empty or was printed before.
func (a *App) PrintNoticeOnce(line string) {
	if line != "" && !a.Printed[line] {
		a.Printed[line] = true
		fmt.Fprintln(a.Err, "rung: "+line)
	}
}

// addOmissions adds omissions to a value that is an object in JSON. A list has no place for them, so they go
// to stderr.
func (a *App) addOmissions(value any, out []OmissionOut) any {
	if len(out) == 0 {
		return value
	}
	object, isObject := value.(jsonObject)
	switch {
	case isObject:
	case reflect.ValueOf(value).Kind() == reflect.Slice:
		a.printOmitted(out)
		return value
	default:
		object = jsonObject{{"", value}}
	}
	return append(object, jsonMember{"not_considered", out})
}
