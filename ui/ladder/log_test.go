package ladder_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// What a NetworkPolicy logs whose Namespace is not among the files: nothing, which the
// ladder says in the word of the command line.
func TestLogWithoutNamespace(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{{Kind: model.KindNamespace, Name: "blue"}})
	s := uitest.OpenScreen(t, p, nav.PageOf(nav.Ladder))
	s.Resize(200, 60)
	s.Press("/")
	s.Type("allow-web")
	s.Press("enter")
	if line := s.Line("blue/allow-web"); !strings.Contains(line, " off ") {
		t.Errorf("it logs nothing: %q", line)
	}
}
