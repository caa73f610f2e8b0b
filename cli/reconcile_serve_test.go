package cli

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"rung/engine"
	"rung/model"
)

// What is not written is a warning once, for as long as it lasts, and a line when
// it is over.
func TestTellsWhatIsNotWritten(t *testing.T) {
	var text bytes.Buffer
	plain := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	said := teller{log: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: plain}))}
	left := []engine.Unwritten{{Policy: model.PolicyKey{Kind: model.KindANP, Name: "one"}, Why: engine.WhyBlocked, Text: "extra ACL x: a row that is not the policy's refers to it"}}
	was := said.leftOut("n1", nil, left)
	was = said.leftOut("n1", was, left)
	said.leftOut("n1", was, nil)
	want := `level=WARN msg="not written" zone=n1 policy=AdminNetworkPolicy/one reason=blocked why="extra ACL x: a row that is not the policy's refers to it"
level=INFO msg="no longer left unwritten" zone=n1 count=1 still=0
`
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
	text.Reset()
	left = nil
	for i := range 3 * unwrittenLines {
		left = append(left, engine.Unwritten{Policy: model.PolicyKey{Kind: model.KindANP, Name: fmt.Sprint(i)}, Why: engine.WhyNoRows})
	}
	said.leftOut("n1", nil, left)
	if got := text.String(); strings.Count(got, "\n") != unwrittenLines+1 || !strings.Contains(got, "more=40") {
		t.Errorf("%s", got)
	}
}
