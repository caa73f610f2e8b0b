package command

import (
	"bytes"
	"strings"

	"k8s.io/client-go/util/jsonpath"
)

// parseJSONPath reads a template of kubectl -o jsonpath. Keys that are not there print nothing.
func parseJSONPath(text string, asJSON bool) (renderer, error) {
	if !strings.ContainsAny(text, "{}") {
		text = relaxPath(text) // kubectl would print it as it stands
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
		j, err := path() // which remembers where it was
		if err != nil {
			return err
		}
		return j.Execute(b, value)
	}, nil
}

// relaxPath is a path in full, {.a.b}, that may be given without braces, or the first dot.
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
