package cli

import (
	"cmp"
	"fmt"
	"strings"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/engine/verify"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

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

func problemOf(p *verify.Problem) problemOut {
	return problemOut{p.File, p.Line, p.Field, p.Message, p.Error()}
}

func resultOf(a *command.App, r verify.Result) StatementFacts {
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
		out.Witness = verdictOf(trace.QuestionOf(r.Trace.Connection), r.Trace)
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
	{Code: "expectation-fails", Title: "An expectation does not hold", Says: "Connections are not allowed or denied as a statement says " +
		"they must be.",
		Help: "Change the policies or the statement. rung trace shows which rule decides about a connection."},
	{Code: "expectation-unproven", Title: "An expectation is not proven", Says: "A statement holds as far as judged, but " +
		"something was left out that could change that.",
		Help: "Fix the omissions; --allow-unjudged accepts them."},
	{Code: "expectation-unreadable", Title: "An expectation cannot be asked",
		Says: "A statement cannot be read, or names something that does not exist.",
		Help: "docs/expectations.md has the form."},
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
		"answer": "how many pairs were asked, with the result", "proof": "a counterexample, or what was " +
			"not considered"},
	Columns: []page.Column[*StatementFacts]{
		{Key: "result", Title: "RESULT", Worth: page.Always, Cell: func(s *StatementFacts) page.Cell {
			sign := map[string]page.Span{resultPass: {Text: words.Yes, Role: themes.OK},
				resultFail: {Text: words.Failed, Role: themes.Error}}[s.Result]
			sign = cmp.Or(sign, page.Span{Text: words.Warned, Role: themes.Warn})
			return page.Cell{Sign: sign, Text: s.resultText(), Role: sign.Role}
		}},
		{Key: "at", Title: "AT", Worth: page.Always, Cell: func(s *StatementFacts) page.Cell {
			return page.Cell{Text: s.positionText(), Role: themes.Dim}
		}},
		{Key: "statement", Title: "STATEMENT", Worth: page.Always, Cell: func(s *StatementFacts) page.Cell {
			return page.Cell{Text: s.statementText()}
		}},
		{Key: "answer", Title: "ANSWER", Worth: page.Always, Cell: func(s *StatementFacts) page.Cell { return page.Cell{Text: s.Message} }},
		{Key: "proof", Title: "PROOF", Worth: page.Always, Cell: func(s *StatementFacts) page.Cell { return page.Cell{Text: s.proofText()} }},
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
