package trace

import (
	"fmt"
	"net/netip"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// Bare says whether a text is a name alone, of which pod, node or Service is not said.
func Bare(text string) bool {
	_, err := netip.ParseAddr(text)
	return err != nil && text != "" && !strings.Contains(text, "/")
}

// NamedEnd reads an end as ParseEnd does, or finds the one pod, node or Service that has
// the name.
func NamedEnd(c *model.Cluster, text string, services bool) (verdict.Endpoint, error) {
	e, err := ParseEnd(text)
	if err == nil || !Bare(text) {
		return e, err
	}
	var found []model.Key
	for p := range c.Pods() {
		if p.Name == text {
			found = append(found, p.Key)
		}
	}
	if c.Node(text) != nil {
		found = append(found, c.Node(text).Key)
	}
	if services {
		for s := range c.Services() {
			if s.Name == text {
				found = append(found, s.Key)
			}
		}
	}
	switch len(found) {
	case 0:
		kinds := "pod or node"
		if services {
			kinds = "pod, node or Service"
		}
		return e, fmt.Errorf("%q: no %s has this name; want %s", text, kinds, Ends)
	case 1:
		return verdict.Endpoint{Key: found[0]}, nil
	}
	var all []string
	for _, k := range found {
		all = append(all, EndText(k))
	}
	return e, fmt.Errorf("%q is ambiguous: %s", text, words.Cut(all, " or ", 4))
}

// Named is the question with names that are alone completed to the ends that have them.
func (q Question) Named(c *model.Cluster) (Question, error) {
	for _, end := range []struct {
		which string
		text  *string
	}{{"from", &q.From}, {"to", &q.To}} {
		if !Bare(*end.text) {
			continue
		}
		e, err := NamedEnd(c, *end.text, end.which == "to")
		if err != nil {
			return q, &EndError{end.which, err}
		}
		*end.text = EndText(e.Key)
	}
	return q, nil
}
