package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// Statement says what must become of the connections between two sets of ends.
type Statement struct {
	FilePlace        // of the statement in its file
	Name      string // as its author calls it, may be empty
	Expect    verdict.Verdict
	// Some: it is enough that one connection is as expected.
	Some bool
	// AllowNone: it holds also where there is no such connection.
	AllowNone bool
	From, To  []StatementEnd
	Ports     []verdict.PortRange
	ports     FilePlace // where the ports are said
}

// FilePlace is where something stands: a file, a line from 1, a field as "[2].from.pod".
type FilePlace struct {
	File  string
	Line  int
	Field string
}

// String is "expect.yaml:12: [2].from.pod".
func (p FilePlace) String() string {
	out := p.File
	if p.Line > 0 {
		out += fmt.Sprintf(":%d", p.Line)
	}
	if p.Field != "" {
		out += ": " + p.Field
	}
	return out
}

// Problem is something that cannot be read, found or asked. The rest is judged without.
type Problem struct {
	FilePlace
	Message string
}

// Error is the problem on one line.
func (p *Problem) Error() string { return p.FilePlace.String() + ": " + p.Message }

// SortProblems orders problems by file, as files come first, and in a file from above.
func SortProblems(problems []*Problem) {
	order := map[string]int{}
	for i, p := range problems {
		if _, ok := order[p.File]; !ok {
			order[p.File] = i
		}
	}
	slices.SortStableFunc(problems, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line))
	})
}

// StatementEnd is one end of connections, or several of a kind.
type StatementEnd struct {
	FilePlace
	// Name is an end as rung trace takes it; else the fields below say what is chosen.
	Name                                             string
	Namespace, Pod, Workload, Node, Service, Address ObjectChoice
}

// ObjectChoice chooses objects by names or by labels; the zero ObjectChoice is not made.
type ObjectChoice struct {
	FilePlace
	Names    []string
	Selector model.Selector
	// Labels are the single values that a selector wants: the labels of an imagined pod.
	Labels     map[string]string
	isMade     bool
	labelsOnly bool // Labels are all that the selector wants
}

func (c *ObjectChoice) byName() bool { return c.isMade && c.Names != nil }

func (c *ObjectChoice) selects(name string, labels model.Labels) bool {
	if !c.byName() {
		return !c.isMade || c.Selector.Matches(labels)
	}
	for _, n := range c.Names {
		if n == name {
			return true
		}
	}
	return false
}

// selectsWorkload says whether a workload, as model.Pod.Workload has it, is one of those named:
// "deployment/web", or "web" of whatever kind.
func (c *ObjectChoice) selectsWorkload(workload string) bool {
	_, name, _ := strings.Cut(workload, "/")
	return workload != "" && slices.ContainsFunc(c.Names, func(n string) bool {
		kind, of, kinded := strings.Cut(n, "/")
		return n == name || kinded && of == name && model.WorkloadWord(kind)+"/"+of == workload
	})
}

// String is the choice for people: "blue, red" or "tenant=blue".
func (c *ObjectChoice) String() string {
	if c.byName() {
		return words.ListFew(c.Names, 3)
	}
	return c.Selector.String()
}

// String names the end: "blue", "pods app=web in blue", "nodes role=worker".
func (e *StatementEnd) String() string {
	switch {
	case e.Name != "":
		return e.Name
	case e.Address.isMade:
		return e.Address.String()
	case e.Node.isMade && e.Node.byName():
		return "node " + e.Node.String()
	case e.Node.isMade:
		return "nodes " + e.Node.String()
	case e.Service.isMade:
		return "service " + e.Namespace.String() + "/" + e.Service.String()
	}
	space := "namespaces " + e.Namespace.String()
	switch {
	case !e.Namespace.isMade || !e.Namespace.byName() && e.Namespace.Selector.MatchesEverything():
		space = "every namespace"
	case e.Namespace.byName():
		space = e.Namespace.String()
	}
	switch {
	case e.Workload.isMade:
		return e.Workload.String() + " in " + space
	case !e.Pod.isMade || !e.Pod.byName() && e.Pod.Selector.MatchesEverything():
		return space
	case e.Pod.byName() && e.Namespace.byName() && len(e.Namespace.Names) == 1:
		return e.Namespace.Names[0] + "/" + e.Pod.String()
	}
	if !e.Pod.byName() {
		return "pods " + e.Pod.String() + " in " + space
	}
	return e.Pod.String() + " in " + space
}

func endsText(ends []StatementEnd) string {
	var out []string
	for i := range ends {
		out = append(out, ends[i].String())
	}
	return words.ListFew(out, 3)
}

// String is the statement for people: "deny blue → red, TCP 80".
func (s *Statement) String() string {
	out := string(s.Expect)
	if s.Some {
		out += " some"
	}
	return fmt.Sprintf("%s %s → %s, %s", out, endsText(s.From), endsText(s.To), revision.PortsText(s.Ports))
}

// Title returns the statement's name, or its text where it has none.
func (s *Statement) Title() string {
	if s.Name != "" {
		return s.Name
	}
	return s.String()
}
