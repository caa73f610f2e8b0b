package cli

import (
	"cmp"
	"strings"

	"rung/cli/command"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

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
