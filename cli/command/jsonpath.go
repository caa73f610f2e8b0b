package command

import (
	"bytes"
	"strings"

	"k8s.io/client-go/util/jsonpath"
)

// parseJSONPath parses a template of kubectl -o jsonpath. Missing keys print nothing.
func parseJSONPath(text string, asJSON bool) (renderer, error) {
	if !strings.ContainsAny(text, "{}") {
		text = relaxPath(text) // kubectl would print the text itself
	}
	path := func() (*jsonpath.JSONPath, error) {
		j := jsonpath.New("out").AllowMissingKeys(true)
		j.EnableJSONOutput(asJSON)
		return j, j.Parse(text)
	}
	if _, err := path(); err != nil {
		return nil, err
	}
	return func(b *bytes.Buffer, value any) error {
		j, err := path() // a JSONPath keeps state, so parse again
		if err != nil {
			return err
		}
		return j.Execute(b, value)
	}, nil
}

// relaxPath completes a path to {.a.b}; the braces and the first dot may be missing.
func relaxPath(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "{"); ok && strings.HasSuffix(inner, "}") {
		text = strings.TrimSuffix(inner, "}")
	}
	if text == "" || strings.ContainsRune(".[$@", rune(text[0])) {
		return "{" + text + "}"
	}
	return "{." + text + "}"
}
