package nav

import (
	"errors"
	"strings"
)

// Inputs are the two sides of a page of a comparison, or the first alone, as ParseDiff reads them.
func (p Page) Inputs() string {
	var inputs []string
	for _, input := range []string{p.ID, p.Base} {
		if input != "" {
			inputs = append(inputs, quoteInput(input))
		}
	}
	return strings.Join(inputs, " ")
}

// quoteInput writes an input as ParseDiff reads it back: quoted only where it must be.
func quoteInput(input string) string {
	if !strings.ContainsAny(input, ` '"\`) {
		return input
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(input) + `"`
}

// ParseDiff reads what is to be compared: one input, or two. One with spaces is quoted as in a
// shell.
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

// splitInputs splits a text at its spaces; those between quotes, and behind a backslash, do not
// count.
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
