package trace

import (
	"slices"
	"strings"

	"rung/revision"
)

// EndChoice is an end to choose: its text, a note, and the addresses that also find the end.
type EndChoice struct {
	Text, Note string
	Addrs      []string
}

// IsService reports whether it is a Service, which begins no connections.
func (c *EndChoice) IsService() bool { return strings.HasPrefix(c.Text, "service/") }

// EndChoices returns all pods, Services and nodes.
func EndChoices(r *revision.Revision) (out []EndChoice) {
	for p := range r.Cluster.Pods() {
		note := p.NodeName
		if len(p.IPs) > 0 {
			note += " " + p.IPs[0]
		}
		out = append(out, EndChoice{EndText(p.Key), note, p.IPs})
	}
	for s := range r.Cluster.Services() {
		out = append(out, EndChoice{EndText(s.Key), "Service", s.ClusterIPs})
	}
	for n := range r.Cluster.Nodes() {
		out = append(out, EndChoice{EndText(n.Key), "node", n.InternalIPs})
	}
	return out
}

// How well an end matches the typed text.
const (
	matchesExactly = iota // the text is its address or name
	matchesPrefix         // its name begins with the text
	matchesWords          // it contains every word
	noMatch               // no match
)

// FindChoices returns the indexes of the ends that contain every word of a text, best first; an address finds
// its holders. It omits Services unless services is set.
func FindChoices(all []EndChoice, text string, services bool) (out []int) {
	text = strings.ToLower(strings.TrimSpace(text))
	words := strings.Fields(text)
	var by [noMatch][]int
	for i := range all {
		c := &all[i]
		if !services && c.IsService() {
			continue
		}
		if rank := c.matchRank(text, words); rank < noMatch {
			by[rank] = append(by[rank], i)
		}
	}
	for _, list := range by {
		out = append(out, list...)
	}
	return out
}

func (c *EndChoice) matchRank(text string, words []string) int {
	low := strings.ToLower(c.Text)
	name := low[strings.LastIndex(low, "/")+1:]
	switch {
	case low == text || name == text || slices.Contains(c.Addrs, text):
		return matchesExactly
	case strings.HasPrefix(name, text) || strings.HasPrefix(low, text):
		return matchesPrefix
	}
	if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(low, w) }) {
		return noMatch
	}
	return matchesWords
}

// CompleteEnds returns a question with its ends completed from all: "api-0" becomes "blue/api-0".
func CompleteEnds(all []EndChoice, q Question) Question {
	end := func(text string, services bool) string {
		if text == "" || slices.ContainsFunc(all, func(c EndChoice) bool { return c.Text == text }) {
			return text
		}
		if e, err := ParseEnd(text); err == nil && e.Addr.IsValid() {
			return text
		}
		if hits := FindChoices(all, text, services); len(hits) > 0 {
			return all[hits[0]].Text
		}
		return text
	}
	q.From, q.To = end(q.From, false), end(q.To, true)
	return q
}
