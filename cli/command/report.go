package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"rung/model"
	"rung/model/lint"
	"rung/pages/findings"
)

// Forms of a report, as -o names them.
const (
	SARIFForm  = "sarif"
	GitHubForm = "github"
	GitLabForm = "gitlab"
	JUnitForm  = "junit"
)

// Forms are all forms of a report.
var Forms = []string{SARIFForm, GitHubForm, GitLabForm, JUnitForm}

// Level is how bad a result is.
type Level string

// Levels, worst first.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Outcome is how a check ended.
type Outcome int

// Outcomes of a check.
const (
	Found    Outcome = iota // a finding, as bad as its level
	Passed                  // reported in JUnit only
	Unjudged                // unknown: an error in JUnit
)

// Report holds the results of a command, independent of form.
type Report struct {
	Command string // name of the command: "lint"
	Version string // of Rung
	// Folder is the working folder, to which file names are relative. Input names the input; a result without
	// a file gets this name.
	Folder, Input string
	Rules         []Rule
	Results       []Result
	NotConsidered []Omission
}

// Rule explains a code. Only the rules of the results are written.
type Rule struct {
	Code    string
	Title   string // in a few words; empty to use the words of the code
	Meaning string // meaning, as a sentence
	Help    string // what to do
	URL     string // further reading
}

// Result is one thing found or checked. Its texts are clean.
type Result struct {
	Code    string
	Outcome Outcome
	Level   Level
	Message string // one line, without the object
	Detail  string // further lines, such as a trace
	// Name of the test in JUnit; empty to use code and message.
	Name   string
	Object string // object concerned: "ANP wall"
	File   string // name as read: "-" for standard input, or empty for none
	Line   int    // from 1, or 0 for none
	// Distinguishes results of one code about one object (or else file), even after the file was edited.
	Key string
	// Lines about omissions that could change this result.
	NotConsidered []string
}

// Omission is something left out of the report: an Error if it makes the judgement incomplete, a Warning if
// that was allowed, a Note for an assumption.
type Omission struct {
	Code  string
	Level Level
	Text  string
	File  string
	Line  int
}

// Write returns the report in a form.
func (r *Report) Write(form string) (string, error) {
	switch form {
	case SARIFForm:
		return r.sarif()
	case GitHubForm:
		return r.annotations(), nil
	case GitLabForm:
		return r.codeQuality()
	case JUnitForm:
		return r.junit()
	}
	return "", fmt.Errorf("no report has the form %q", form)
}

// text returns the message with its object.
func (f *Result) text() string {
	if f.Object == "" {
		return f.Message
	}
	return f.Object + ": " + f.Message
}

// level returns the level, Error by default.
func (f *Result) level() Level { return cmp.Or(f.Level, Error) }

func (r *Report) notPassed() (out []*Result) {
	for i := range r.Results {
		if r.Results[i].Outcome != Passed {
			out = append(out, &r.Results[i])
		}
	}
	return out
}

// fingerprinter gives each result a unique text that stays the same when the result moves in its file.
type fingerprinter map[string]int

func (seen fingerprinter) fingerprint(parts ...string) string {
	key := strings.Join(parts, "\x00")
	seen[key]++
	if n := seen[key]; n > 1 {
		key += fmt.Sprintf("\x00%d", n)
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// fingerprint returns the fingerprint of a result. Renaming an object's file does not change it.
func (r *Report) fingerprint(seen fingerprinter, f *Result) string {
	return seen.fingerprint(f.Code, cmp.Or(f.Object, r.path(f.File)), f.Key)
}

// path returns a file's name in reports: relative to the working folder if inside, with forward slashes. A
// file of a git revision gets its name in the folder.
func (r *Report) path(file string) string {
	switch file {
	case "-":
		return "stdin"
	case "":
		file = r.Input
		if file == "-" {
			file = ""
		}
	}
	if rest, ok := strings.CutPrefix(file, "git:"); ok {
		_, file, _ = strings.Cut(rest, ":")
	}
	if filepath.IsAbs(file) && r.Folder != "" {
		rel, err := filepath.Rel(r.Folder, file)
		if err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return path.Clean(filepath.ToSlash(file))
}

// uri returns a file as a reference of RFC 3986.
func (r *Report) uri(file string) string {
	u := url.URL{Path: r.path(file)}
	if path.IsAbs(u.Path) {
		u.Scheme = "file"
	}
	return u.String()
}

// writeReport writes the report of an answer in the form of -o, and nothing else to w. Omissions and the
// summary go to stderr for people.
func writeReport(a *App, w io.Writer, ans *Answer, out []OmissionOut) error {
	r := ans.Report()
	r.Version = a.Version
	if len(a.Flags.Files) > 0 {
		r.Input = a.Flags.Files[0]
	}
	var err error
	if r.Folder, err = os.Getwd(); err != nil {
		return fmt.Errorf("name files relative to the working folder: %w", err)
	}
	r.NotConsidered = model.MapList(out, func(o OmissionOut) Omission {
		level := Error
		switch {
		case o.Assumed:
			level = Note
		case o.Allowed:
			level = Warning
		}
		return Omission{Code: string(o.Code), Level: level, Text: o.Text, File: o.File, Line: o.Line}
	})
	text, err := r.Write(a.Flags.Output)
	if err != nil {
		return fmt.Errorf("-o %s: %w", a.Flags.Output, err)
	}
	a.printOmitted(out)
	a.PrintNoticeOnce(ans.Summary)
	_, err = io.WriteString(w, text)
	return err
}

// AddFindings adds a result for each finding, and the rules of their codes.
func (r *Report) AddFindings(found []model.Finding) {
	explained := map[string]bool{}
	for _, f := range findings.NewList(found) {
		kind := lint.KindOfCode(f.Code)
		if !explained[f.Code] {
			explained[f.Code] = true
			rule := Rule{Code: f.Code, Help: "docs/findings.md#" + f.Code + " has an example."}
			if kind != nil {
				rule.Meaning = kind.Meaning
			}
			if kind != nil && kind.Remedy != "" {
				rule.Help = "What to do: " + kind.Remedy + ".\n" + rule.Help
			}
			r.Rules = append(r.Rules, rule)
		}
		o := Result{Code: f.Code, Level: severityLevels[f.Severity], Message: f.Message, Object: f.Policy, File: f.Original.Origin.File,
			Line: f.Original.Origin.Line, Key: f.PlaceText()}
		if f.Policy != "" {
			o.Name = strings.TrimSpace(f.Code + ": " + f.Policy + " " + f.PlaceText())
		}
		if place := f.PlaceText(); place != "" {
			o.Message = place + ": " + o.Message
		}
		if kind == nil {
			o.Key += " " + f.Message // a policy may have several errors of one code
		}
		if !f.Original.Witness.IsZero() {
			o.Detail = "for example " + f.Original.Witness.String()
		}
		if f.Remedy != "" {
			o.Message += " → " + f.Remedy
		}
		r.Results = append(r.Results, o)
	}
}

var severityLevels = map[model.Severity]Level{model.SeverityError: Error, model.SeverityWarning: Warning, model.SeverityInfo: Note}
