package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/trace"
	"rung/engine/verify"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

func VerifyCommand(a *command.App) *cobra.Command {
	var by string
	var asIf, write bool
	var namespaces []string
	var cmd *cobra.Command
	cmd = command.NetworkCommand(a, &cobra.Command{
		Use:   "verify {FILE… | --write}",
		Short: "Check expectations about allowed and denied connections; exit 1 on failures",
		Long: `Check statements about connections that must be allowed or denied, kept in files of YAML
or JSON (- for standard input): docs/expectations.md has the form. For each failure one
connection is traced. --by rows asks the zones' rows instead of the policies, --by both
both. Exit 1 if a statement fails, 2 if one cannot be read or asked; the others are still
judged.

--as-if imagines pods for labels that match no pod.

--write prints a first file instead: what the policies allow and deny now between the
pods of all namespaces, or of --namespaces.`,
		Example: `  rung verify examples/expectations.yaml -f examples/
  rung verify examples/expectations.yaml --by both -o junit --context staging
  rung verify --write --namespaces blue,red -f examples/ > expectations.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case write && len(args) > 0:
				return errors.New("--write prints a new file: leave FILE out, and redirect the output with > FILE")
			case !write && len(args) == 0:
				return fmt.Errorf("%s needs FILE, got 0 arguments; see: %s --help", cmd.CommandPath(), cmd.CommandPath())
			case !write && len(namespaces) > 0:
				return errors.New("--namespaces goes with --write")
			}
			return nil
		},
		Annotations: command.FormAnnotations(command.Forms...),
	}, func(files []string, _ bool) command.Query {
		live := !write && needsLiveRows(cmd.Context(), a, by)
		read := sync.OnceValues(func() (*Expectations, error) { return ReadExpectations(cmd.Context(), a, files) })
		return command.Query{Zones: live, Answer: func(ctx context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			ask, err := parseBy(by)
			switch {
			case err != nil:
				return nil, err
			case write:
				w, err := verify.WriteStatements(ctx, r, namespaces)
				if err != nil {
					return nil, fmt.Errorf("--write: %w", err)
				}
				return &command.Answer{Value: w.Statements, Text: func(bool) string { return string(w.Text) },
					NotConsidered: revision.OmissionsOfAnswers(r, false), Comments: true}, nil
			case asIf && by != byPolicies:
				return nil, errAsIfRows
			}
			asked, err := read()
			if err != nil {
				return nil, err
			}
			return verifyAnswer(ctx, a, r, asked, verify.Options{By: ask, Compiled: !live, AsIf: asIf, Now: e.Now()})
		}}
	})
	addByFlag(cmd, &by)
	f := cmd.Flags()
	f.BoolVar(&asIf, "as-if", false, "ask as if pods existed for labels that match no pod")
	f.BoolVar(&write, "write", false, "print a first file, from the present policies")
	f.StringSliceVar(&namespaces, "namespaces", nil, "`NAMESPACES` to write about, comma-separated (default all)")
	cmd.MarkFlagsMutuallyExclusive("write", "as-if")
	cmd.MarkFlagsMutuallyExclusive("write", "by")
	return cmd
}

// Expectations are the statements read from files.
type Expectations struct {
	statements []verify.Statement
	problems   []*verify.Problem
	// Files that could be read.
	Files []model.SourceFile
}

// IsEmpty reports whether there are neither statements nor problems.
func (e *Expectations) IsEmpty() bool { return len(e.statements)+len(e.problems) == 0 }

// standardInput is the file name of statements read from "-".
const standardInput = "standard input"

// maxExpectations limits a file of statements, in bytes.
const maxExpectations = 16 << 20

// ReadExpectations reads files of statements; a problem with one does not affect the others.
func ReadExpectations(ctx context.Context, a *command.App, files []string) (*Expectations, error) {
	out := &Expectations{}
	for _, file := range files {
		text, err := a.ReadGiven(ctx, file, maxExpectations)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out.problems = append(out.problems, &verify.Problem{FilePlace: verify.FilePlace{File: words.CleanText(file)},
				Message: "cannot be read: " + err.Error()})
			continue
		}
		name := file
		if name == "-" {
			name = standardInput
		}
		out.Files = append(out.Files, model.SourceFile{Path: words.CleanText(name), Size: int64(len(text)), Sum: sha256.Sum256(text)})
		s, p := verify.ReadStatements(name, text)
		out.statements, out.problems = append(out.statements, s...), append(out.problems, p...)
	}
	return out, nil
}

// Time until the first progress message, and between later ones.
const verifyQuiet, verifyAgain = 2 * time.Second, 10 * time.Second

// JudgeExpectations judges statements, and returns the omissions that could change the results.
func JudgeExpectations(ctx context.Context, a *command.App, r *revision.Revision, asked *Expectations, how verify.Options) (*VerifyFacts,
	[]model.Omission, error) {
	next := time.Now().Add(verifyQuiet)
	how.Progress = func(s *verify.Statement, pairs, of int) {
		if now := time.Now(); now.After(next) {
			next = now.Add(verifyAgain)
			fmt.Fprintf(a.Err, "rung: asking about %s: %s of %s done\n", words.CleanLine(s.Title()), words.Thousands(pairs), words.Count(of, "pair"))
		}
	}
	results, problems, err := verify.JudgeStatements(ctx, r, asked.statements, how)
	if err != nil {
		return nil, nil, err
	}
	problems = slices.Concat(asked.problems, problems)
	verify.SortProblems(problems)
	out := &VerifyFacts{Statements: model.MapList(results, func(r verify.Result) StatementFacts { return newStatementFacts(a, r) }),
		Problems: model.MapList(problems, func(p *verify.Problem) problemOut {
			return problemOut{p.File, p.Line, p.Field, p.Message, p.Error()}
		})}
	var omits []model.Omission
	for i := range out.Statements {
		switch out.Statements[i].Result {
		case resultPass:
			out.Passed++
		case resultFail:
			out.Failed++
		default:
			out.Unproven++
		}
		omits = revision.MergeOmissions(omits, results[i].NotConsidered)
	}
	if len(results) == 0 && len(problems) == 0 {
		omits = append(omits, model.Omission{Code: model.OmittedAll, Why: "nothing was judged: there are no statements"})
	}
	out.OK = out.Passed == len(results) && len(problems) == 0 && len(results) > 0
	for _, p := range problems {
		a.PrintNoticeOnce(words.CleanLine(p.Error()))
	}
	return out, omits, nil
}

// verifyAnswer judges statements. Statements that cannot be read or asked are reported on stderr, a line each.
func verifyAnswer(ctx context.Context, a *command.App, r *revision.Revision, asked *Expectations, how verify.Options) (*command.Answer,
	error) {
	out, omits, err := JudgeExpectations(ctx, a, r, asked, how)
	if err != nil {
		return nil, err
	}
	ans := &command.Answer{Value: out, Objects: out.Statements, No: out.Failed > 0, Text: out.verifyText, Report: out.report,
		Summary: out.SummaryText(), NotConsidered: omits}
	if len(out.Problems) > 0 {
		ans.Err = command.ErrPrinted
	}
	return ans, nil
}

func (o *VerifyFacts) verifyText(wide bool) string {
	t := &command.TextTable{Head: []string{"RESULT", "STATEMENT", "ANSWER"}}
	if wide {
		t.Head = []string{"RESULT", "AT", "STATEMENT", "ANSWER"}
	}
	for i := range o.Statements {
		s := &o.Statements[i]
		cells := []string{s.resultText(), s.title, s.Message}
		if wide {
			cells = []string{s.resultText(), s.positionText(), s.statementText(), s.Message}
		}
		t.AddRow(cells...)
	}
	var b strings.Builder
	if len(t.Rows) > 0 {
		b.WriteString(t.String())
	}
	for i := range o.Statements {
		if s := &o.Statements[i]; s.Result != resultPass {
			fmt.Fprintf(&b, "\n%s: %s: %s\n", s.positionText(), s.statementText(), s.Message)
			if s.Result == resultUnproven {
				b.WriteString("unproven: " + strings.Join(command.OmittedLines(s.NotConsidered), "\n") + "\n")
			}
			if s.Witness != nil {
				b.WriteString("for example ")
				s.Witness.writeExample(&b, wide)
			}
		}
	}
	b.WriteString("\n" + o.SummaryText() + "\n")
	return b.String()
}

// Results of a statement.
const (
	resultPass = "pass"
	resultFail = "fail"
	// The statement holds, but an omission could change that.
	resultUnproven = "unproven"
)

// VerifyFacts is the JSON of `rung verify` (command-line.md#output).
type VerifyFacts struct {
	OK         bool             `json:"ok"`
	Passed     int              `json:"passed"`
	Failed     int              `json:"failed"`
	Unproven   int              `json:"unproven"`
	Statements []StatementFacts `json:"statements"`
	Problems   []problemOut     `json:"problems"`
}

// StatementFacts is a statement with its result.
type StatementFacts struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Name      string `json:"name,omitempty"`
	Statement string `json:"statement"`
	Result    string `json:"result"`
	Message   string `json:"message"`
	Pairs     int    `json:"pairs"`
	Against   int    `json:"against"`
	ByRows    bool   `json:"by_rows,omitempty"`
	// A counterexample, as in rung trace.
	Witness *verdictOut `json:"witness,omitempty"`
	// Omissions that could change the result.
	NotConsidered []command.OmissionOut `json:"not_considered,omitempty"`

	title string
}

type problemOut struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`

	text string
}

// String returns the problem in one line, its place first.
func (p problemOut) String() string { return p.text }

func newStatementFacts(a *command.App, r verify.Result) StatementFacts {
	out := StatementFacts{File: r.File, Line: r.Line, Name: r.Name, Statement: r.String(), Result: resultFail, Message: r.Message(),
		Pairs: r.Pairs, Against: r.Against, ByRows: r.ByRows, title: r.Title()}
	switch {
	case len(r.UnprovenBy(a.Flags.AllowUnjudged...)) > 0:
		out.Result = resultUnproven
	case r.Holds:
		out.Result = resultPass
	}
	out.NotConsidered = a.OmissionsOut(r.NotConsidered)
	if r.Trace != nil {
		out.Witness = newVerdictOut(trace.NewQuestion(r.Trace.Connection), r.Trace)
		out.Witness.AddDetails(r.Trace)
	}
	return out
}

func (s *StatementFacts) positionText() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// resultText returns the result for a table, failures in capitals.
func (s *StatementFacts) resultText() string {
	if s.Result == resultPass {
		return s.Result
	}
	return strings.ToUpper(s.Result)
}

func (s *StatementFacts) statementText() string {
	if s.Name == "" {
		return s.Statement
	}
	return s.Name + " (" + s.Statement + ")"
}

// SummaryText counts the results: "12 of 14 statements hold; 1 unproven".
func (o *VerifyFacts) SummaryText() string {
	out := fmt.Sprintf("%s of %s", words.Thousands(o.Passed), words.OneOrMany(len(o.Statements), "1 statement holds",
		words.Count(len(o.Statements), "statement")+" hold"))
	if o.Unproven > 0 {
		out += fmt.Sprintf("; %s unproven", words.Thousands(o.Unproven))
	}
	if n := len(o.Problems); n > 0 {
		out += fmt.Sprintf("; %s", words.Count(n, "problem"))
	}
	return out
}

var verifyRules = []command.Rule{
	{Code: "expectation-fails", Title: "An expectation does not hold", Meaning: "Connections are not allowed or denied as a statement says " +
		"they must be.",
		Help: "Change the policies or the statement. rung trace shows which rule decides about a connection."},
	{Code: "expectation-unproven", Title: "An expectation is not proven", Meaning: "A statement holds as far as judged, but " +
		"something was left out that could change that.",
		Help: "Fix the omissions; --allow-unjudged accepts them."},
	{Code: "expectation-unreadable", Title: "An expectation cannot be asked",
		Meaning: "A statement cannot be read, or names something that does not exist.",
		Help:    "docs/expectations.md has the form."},
}

// report returns a result for each statement and each problem.
func (o *VerifyFacts) report() *command.Report {
	out := &command.Report{Command: "verify", Rules: verifyRules}
	for i := range o.Statements {
		s := &o.Statements[i]
		f := command.Result{Code: "expectation-fails", Level: command.Error, Outcome: command.Passed, Name: fmt.Sprintf("line %d: %s", s.Line,
			s.statementText()),
			Message: s.Message, Object: s.statementText(), File: reportFile(s.File), Line: s.Line,
			NotConsidered: command.OmittedLines(s.NotConsidered)}
		switch s.Result {
		case resultUnproven:
			f.Code, f.Outcome, f.Message, f.Detail = "expectation-unproven", command.Unjudged, "unproven: "+s.Message,
				strings.Join(f.NotConsidered, "\n")
		case resultFail:
			f.Outcome, f.Detail = command.Found, s.exampleText()
		}
		out.Results = append(out.Results, f)
	}
	for _, p := range o.Problems {
		out.Results = append(out.Results, command.Result{Code: "expectation-unreadable", Level: command.Error, Outcome: command.Unjudged,
			Name: fmt.Sprintf("line %d: %s", p.Line, p.Field), Message: p.Message, Object: p.Field, File: reportFile(p.File), Line: p.Line,
			Key: p.Message})
	}
	return out
}

// exampleText returns the counterexample, with the rules that decide.
func (s *StatementFacts) exampleText() string {
	var b strings.Builder
	if s.Witness != nil {
		s.Witness.writeExample(&b, false)
	}
	return words.CleanBlock(command.PlainText(strings.TrimSpace(b.String())))
}

// reportFile returns the name of a file of statements in reports.
func reportFile(file string) string {
	if file == standardInput {
		return "-"
	}
	return file
}

// StatementTable lists statements with their proof.
var StatementTable = &page.Table[*StatementFacts]{
	ID:    func(s *StatementFacts) string { return s.positionText() },
	Empty: "no statement could be asked",
	Help: map[string]string{"result": "whether it holds", "statement": "what must be allowed or denied",
		"answer": "how many pairs were asked, with the result", "proof": "a counterexample, or what was not considered"},
	Columns: []page.Column[*StatementFacts]{
		{Key: "result", Title: "RESULT", Importance: page.Always, Cell: func(s *StatementFacts) page.Cell {
			sign := map[string]page.Span{resultPass: {Text: words.Yes, Role: themes.OK},
				resultFail: {Text: words.Failed, Role: themes.Error}}[s.Result]
			sign = cmp.Or(sign, page.Span{Text: words.Warned, Role: themes.Warn})
			return page.Cell{Sign: sign, Text: s.resultText(), Role: sign.Role}
		}},
		{Key: "at", Title: "AT", Importance: page.Always, Cell: func(s *StatementFacts) page.Cell {
			return page.Cell{Text: s.positionText(), Role: themes.Dim}
		}},
		{Key: "statement", Title: "STATEMENT", Importance: page.Always, Cell: func(s *StatementFacts) page.Cell {
			return page.Cell{Text: s.statementText()}
		}},
		{Key: "answer", Title: "ANSWER", Importance: page.Always, Cell: func(s *StatementFacts) page.Cell { return page.Cell{Text: s.Message} }},
		{Key: "proof", Title: "PROOF", Importance: page.Always,
			Cell: func(s *StatementFacts) page.Cell { return page.Cell{Text: s.proofText()} }},
	},
}

// proofText returns a counterexample, the omissions that prevent a proof, or the number of pairs asked.
func (s *StatementFacts) proofText() string {
	switch {
	case s.Witness != nil:
		text, _, _ := strings.Cut(s.exampleText(), "\n\n") // the decider comes before the stages
		return text
	case s.Result == resultUnproven:
		return strings.Join(command.OmittedLines(s.NotConsidered), "\n")
	case len(s.NotConsidered) > 0: // allowed, or assumed
		return strings.Join(command.OmittedLines(s.NotConsidered), "\n")
	case s.Pairs > 0:
		return words.OneOrMany(s.Pairs, "the only pair agrees", "all "+words.Count(s.Pairs, "pair")+" agree")
	}
	return ""
}
