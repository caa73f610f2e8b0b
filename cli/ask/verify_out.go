package ask

import (
	"encoding/xml"
	"fmt"
	"strings"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/engine/verify"
	"rung/model/clean"
	"rung/model/words"
)

// The results of a statement.
const (
	resultPass = "pass"
	resultFail = "fail"
	// resultUnproven: it holds as far as was judged, and something that could change that was
	// not considered.
	resultUnproven = "unproven"
)

// verifyOut is the JSON of `rung verify` (command-line.md#output).
type verifyOut struct {
	OK         bool           `json:"ok"`
	Passed     int            `json:"passed"`
	Failed     int            `json:"failed"`
	Unproven   int            `json:"unproven"`
	Statements []statementOut `json:"statements"`
	Problems   []problemOut   `json:"problems"`
}

type statementOut struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Name      string `json:"name,omitempty"`
	Statement string `json:"statement"`
	Result    string `json:"result"`
	Message   string `json:"message"`
	Pairs     int    `json:"pairs"`
	Against   int    `json:"against"`
	ByRows    bool   `json:"by_rows,omitempty"`
	// Witness is a connection that speaks against the statement, as in rung trace.
	Witness *verdictOut `json:"witness,omitempty"`
	// NotConsidered are the omissions that could change the result.
	NotConsidered []command.OmissionOut `json:"not_considered,omitempty"`

	title string
}

type problemOut struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

func problemOf(p *verify.Problem) problemOut { return problemOut{p.File, p.Line, p.Field, p.Message} }

func resultOf(a *command.App, r verify.Result) statementOut {
	out := statementOut{File: r.File, Line: r.Line, Name: r.Name, Statement: r.String(), Result: resultFail, Message: r.Message(),
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
		out.Witness.addDetails()
	}
	return out
}

func (s *statementOut) positionText() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// resultText is the result in a table: what fails is seen.
func (s *statementOut) resultText() string {
	if s.Result == resultPass {
		return s.Result
	}
	return strings.ToUpper(s.Result)
}

// statementText is the name with what the statement says.
func (s *statementOut) statementText() string {
	if s.Name == "" {
		return s.Statement
	}
	return s.Name + " (" + s.Statement + ")"
}

// summaryText counts: "12 of 14 statements hold; 1 cannot be read or asked".
func (o *verifyOut) summaryText() string {
	out := fmt.Sprintf("%s of %s", words.Thousands(o.Passed), words.OneOrMany(len(o.Statements), "1 statement holds", words.Count(len(o.Statements), "statement")+" hold"))
	if o.Unproven > 0 {
		out += fmt.Sprintf("; %s unproven", words.Thousands(o.Unproven))
	}
	if n := len(o.Problems); n > 0 {
		out += fmt.Sprintf("; %s in what could not be read or asked", words.Count(n, "mistake"))
	}
	return out
}

// The XML of JUnit, as CI systems read it.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitFault `xml:"failure,omitempty"`
	Error   *junitFault `xml:"error,omitempty"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junitXML has a suite for each file, a failure for each statement that fails, and an error
// for each mistake.
func junitXML(o *verifyOut) (string, error) {
	all := junitSuites{}
	suite := func(file string) *junitSuite {
		for i := range all.Suites {
			if all.Suites[i].Name == file {
				return &all.Suites[i]
			}
		}
		all.Suites = append(all.Suites, junitSuite{Name: file})
		return &all.Suites[len(all.Suites)-1]
	}
	for i := range o.Statements {
		s := &o.Statements[i]
		in, c := suite(s.File), junitCase{Class: s.File, Name: fmt.Sprintf("line %d: %s", s.Line, s.statementText())}
		c.Out = strings.Join(command.OmittedLines(s.NotConsidered), "\n")
		switch s.Result {
		case resultUnproven:
			c.Error = &junitFault{Message: "unproven: " + s.Message, Text: c.Out}
			in.Errors++
			all.Errors++
		case resultFail:
			var b strings.Builder
			if s.Witness != nil {
				s.Witness.writeExample(&b, false)
			}
			c.Failure = &junitFault{s.Message, clean.Block(command.PlainText(b.String()))}
			in.Failures++
			all.Failures++
		}
		in.Tests++
		all.Tests++
		in.Cases = append(in.Cases, c)
	}
	for _, p := range o.Problems {
		in := suite(p.File)
		in.Cases = append(in.Cases, junitCase{Class: p.File, Name: fmt.Sprintf("line %d: %s", p.Line, p.Field), Error: &junitFault{Message: p.Message}})
		in.Tests++
		in.Errors++
		all.Tests++
		all.Errors++
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	return xml.Header + string(text) + "\n", err
}
