package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// The forms of a report, as -o names them.
const (
	SARIFForm  = "sarif"
	GitHubForm = "github"
	GitLabForm = "gitlab"
	JUnitForm  = "junit"
)

// Forms are all forms of a report.
var Forms = []string{SARIFForm, GitHubForm, GitLabForm, JUnitForm}

// Level says how bad something is.
type Level string

// The levels, worst first.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Outcome says how a check ended.
type Outcome int

// The outcomes of a check.
const (
	Found    Outcome = iota // something to tell, as bad as its level
	Passed                  // only JUnit tells it
	Unjudged                // nobody knows: an error in JUnit
)

// Report holds the results of a command, before they have a form.
type Report struct {
	Command string // the command's name: "lint"
	Version string // of Rung
	// Folder is the working folder: files are named relative to it. Input is what was read, and
	// stands for the file of a result that has none.
	Folder, Input string
	Rules         []Rule
	Results       []Result
	NotConsidered []Omission
}

// Rule explains a code. Only the rules of the results are written.
type Rule struct {
	Code  string
	Title string // in a few words; the words of the code where it is empty
	Says  string // what it means, as a sentence
	Help  string // what to do
	URL   string // where there is more
}

// Result is one thing that was found or checked. Its texts are clean.
type Result struct {
	Code    string
	Outcome Outcome
	Level   Level
	Message string // in one line, without the object
	Detail  string // further lines, such as a trace
	// Name is the name of the test in JUnit; where it is empty, code and message are.
	Name   string
	Object string // what it is about: "ANP wall"
	File   string // as it was read: "-" for standard input, empty for none
	Line   int    // from 1, 0 for none
	// Key tells it from the other results with this code about this object (or else in this
	// file), now and after the file was edited.
	Key string
	// NotConsidered are the lines about what could change this result.
	NotConsidered []string
}

// Omission is something that the report does not take into account: an Error where the command
// does not count as having judged everything, a Warning where that was allowed, a Note for an
// assumption.
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

// text is the message with what it is about.
func (f *Result) text() string {
	if f.Object == "" {
		return f.Message
	}
	return f.Object + ": " + f.Message
}

// level is the level, an error where none is given.
func (f *Result) level() Level { return cmp.Or(f.Level, Error) }

// told are the results that were not passed.
func (r *Report) told() (out []*Result) {
	for i := range r.Results {
		if r.Results[i].Outcome != Passed {
			out = append(out, &r.Results[i])
		}
	}
	return out
}

// fingerprinter gives each result a text of its own that stays the same while the result
// does, wherever it stands.
type fingerprinter map[string]int

func (seen fingerprinter) of(parts ...string) string {
	key := strings.Join(parts, "\x00")
	seen[key]++
	if n := seen[key]; n > 1 {
		key += fmt.Sprintf("\x00%d", n)
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// fingerprint is the fingerprint of a result: an object keeps it when its file is renamed.
func (r *Report) fingerprint(seen fingerprinter, f *Result) string {
	return seen.of(f.Code, cmp.Or(f.Object, r.path(f.File)), f.Key)
}

// path is a file as reports name it: relative to the working folder where it is inside, with
// forward slashes. A file of a git revision has the name that it has in the folder.
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

// uri is a file as a reference of RFC 3986.
func (r *Report) uri(file string) string {
	u := url.URL{Path: r.path(file)}
	if path.IsAbs(u.Path) {
		u.Scheme = "file"
	}
	return u.String()
}
