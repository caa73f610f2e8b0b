package nav

import (
	"errors"
	"strings"
)

// Inputs returns the one or two inputs of a comparison page, in the form that ParseDiff reads.
func (p Page) Inputs() string {
	var inputs []string
	for _, input := range []string{p.ID, p.Base} {
		if input != "" {
			inputs = append(inputs, quoteInput(input))
		}
	}
	return strings.Join(inputs, " ")
}

// quoteInput quotes an input for ParseDiff if necessary.
func quoteInput(input string) string {
	if !strings.ContainsAny(input, ` '"\`) {
		return input
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(input) + `"`
}

// ParseDiff parses one or two inputs to compare. An input with spaces is quoted as in a shell.
func ParseDiff(text string) (Page, error) {
	inputs, err := splitInputs(text)
	switch {
	case err != nil:
		return Page{}, err
	case len(inputs) == 0:
		return Page{}, errors.New("an input is missing: diff INPUT, or diff BEFORE AFTER")
	case len(inputs) > 2:
		return Page{}, errors.New("diff takes one input or two, and quotes around one with spaces")
	}
	inputs = append(inputs, "")
	return ToDiff(inputs[0], inputs[1]), nil
}

// splitInputs splits a text at spaces that are not quoted or escaped with a backslash.
func splitInputs(text string) (out []string, err error) {
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			inWord, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			inWord, quote = true, r
		case quote == 0 && r == ' ':
			if inWord {
				out = append(out, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		out = append(out, word.String())
	}
	return out, nil
}
