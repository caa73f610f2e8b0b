package command

import (
	"fmt"
	"slices"
	"strings"
)

// notConsidered is the title of an omission.
const notConsidered = "not considered"

// title returns the title of an omission or assumption.
func (o *Omission) title() string {
	if o.Level == Note {
		return "assumed"
	}
	return notConsidered
}

// annotations returns lines that GitHub Actions turns into annotations. Omissions come first, then the worst
// results, since GitHub shows ten errors, ten warnings and ten notices of a step.
func (r *Report) annotations() string {
	var b strings.Builder
	say := func(l Level, file string, line int, title, text string) {
		var at []string
		if file != "" {
			at = append(at, "file="+escapeProperty(r.path(file)), fmt.Sprintf("line=%d", max(line, 1)))
		}
		at = append(at, "title="+escapeProperty(title))
		fmt.Fprintf(&b, "::%s %s::%s\n", githubLevel(l), strings.Join(at, ","), escapeData(text))
	}
	for _, o := range r.NotConsidered {
		say(o.Level, o.File, o.Line, o.title(), o.Text)
	}
	told := r.notPassed()
	slices.SortStableFunc(told, func(a, b *Result) int { return a.level().rank() - b.level().rank() })
	for _, f := range told {
		say(f.level(), f.File, f.Line, f.Code, withDetail(f.text(), f.Detail))
	}
	return b.String()
}

// rank orders levels, the worst first.
func (l Level) rank() int { return slices.Index([]Level{Error, Warning, Note}, l) }

// githubLevel returns GitHub's name of a level.
func githubLevel(l Level) string {
	if l == Note {
		return "notice"
	}
	return string(l)
}

// escapeData and escapeProperty escape a message and a property for the runner, which decodes them.
var escapeData, escapeProperty = replacer("%", "%25", "\r", "%0D", "\n", "%0A"),
	replacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

func replacer(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }

// Code quality report of GitLab: a list of issues.
type (
	qualityIssue struct {
		Description string          `json:"description"`
		Check       string          `json:"check_name"`
		Fingerprint string          `json:"fingerprint"`
		Severity    string          `json:"severity"`
		Location    qualityLocation `json:"location"`
	}
	qualityLocation struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	}
)

// codeQuality returns the report for the widget of GitLab's merge requests.
func (r *Report) codeQuality() (string, error) {
	out, seen := []qualityIssue{}, fingerprinter{}
	add := func(l Level, check, print, text, file string, line int) {
		i := qualityIssue{Description: text, Check: check, Fingerprint: print, Severity: severityOf(l),
			Location: qualityLocation{Path: r.path(file)}}
		i.Location.Lines.Begin = max(line, 1)
		out = append(out, i)
	}
	for _, f := range r.notPassed() {
		add(f.level(), f.Code, r.fingerprint(seen, f), withDetail(f.text(), f.Detail), f.File, f.Line)
	}
	for _, o := range r.NotConsidered {
		add(o.Level, strings.ReplaceAll(o.title(), " ", "-"), seen.of(o.Code, r.path(o.File), o.Text), o.title()+": "+o.Text, o.File, o.Line)
	}
	return writeReportJSON(out)
}

// severityOf returns GitLab's severity of a level. No finding is a blocker by itself.
func severityOf(l Level) string {
	switch l {
	case Warning:
		return "minor"
	case Note:
		return "info"
	}
	return "critical"
}
