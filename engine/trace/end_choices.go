package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// EndChoice is an end to choose: its text, a note, the addresses that also find the end, and its ports: "53/udp
// dns".
type EndChoice struct {
	Text, Note string
	Addrs      []string
	search     string // where words are searched, if not in Text: kind, name and workload
	Ports      []string
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
		c := EndChoice{Text: EndText(p.Key), Note: note, Addrs: p.IPs, search: "pod/" + EndText(p.Key) + " " + p.Workload}
		for _, port := range p.Ports {
			c.addPort(port.Port, port.Protocol, port.Name)
		}
		out = append(out, c)
	}
	for s := range r.Cluster.Services() {
		c := EndChoice{Text: EndText(s.Key), Note: "Service", Addrs: s.ClusterIPs}
		for _, port := range s.Ports {
			c.addPort(port.Port, port.Protocol, port.Name)
		}
		out = append(out, c)
	}
	for n := range r.Cluster.Nodes() {
		out = append(out, EndChoice{Text: EndText(n.Key), Note: "node", Addrs: n.InternalIPs})
	}
	return out
}

func (c *EndChoice) addPort(port int32, protocol, name string) {
	c.Ports = append(c.Ports, strings.TrimSpace(fmt.Sprintf("%d/%s %s", port, strings.ToLower(cmp.Or(protocol, "TCP")), name)))
}

// How well an end matches the typed text.
const (
	matchesExactly = iota // the text is its address or name
	matchesPrefix         // its name begins with the text
	matchesWords          // it contains every word
	noMatch               // no match
)

// searchWords returns the words that an end to find must contain; a kind as kubectl's users write it is a word:
// "service/" and "kube-dns" for "svc/kube-dns".
func searchWords(text string) (out []string) {
	for _, w := range strings.Fields(text) {
		kind, name, _ := strings.Cut(w, "/")
		switch kind = endKind(kind); {
		case w == inNamespace:
		case name == "" || kind == "":
			out = append(out, w)
		case model.WorkloadWord(kind) != "":
			out = append(out, kind+"/"+name)
		default:
			out = append(out, kind+"/", name)
		}
	}
	return out
}

// FindChoices returns the indexes of the ends that contain every word of a text, best first; an address finds
// its holders. It omits Services unless services is set.
func FindChoices(all []EndChoice, text string, services bool) (out []int) {
	text = strings.ToLower(strings.TrimSpace(text))
	words := searchWords(text)
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

// SimilarChoice returns "; did you mean: NAME" with the end most similar to a typed one, empty if none is similar.
func SimilarChoice(all []EndChoice, text string, services bool) string {
	kind, list := "", searchWords(strings.ToLower(text))
	if len(list) > 1 && strings.HasSuffix(list[0], "/") {
		kind, list = list[0], list[1:]
	}
	var names []string
	for i := range all {
		if c := &all[i]; (services || !c.IsService()) && strings.HasPrefix(c.searched(), kind) {
			names = append(names, c.Text)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return words.DidYouMean(list[0], names)
}

// searched returns the text in which words are searched, in lower case.
func (c *EndChoice) searched() string {
	return strings.ToLower(cmp.Or(c.search, c.Text))
}

func (c *EndChoice) matchRank(text string, words []string) int {
	low, all := strings.ToLower(c.Text), c.searched()
	name := low[strings.LastIndex(low, "/")+1:]
	lacks := slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
	switch {
	case low == text || name == text || slices.Contains(c.Addrs, text) || !lacks && slices.Contains(words, name):
		return matchesExactly
	case strings.HasPrefix(name, text) || strings.HasPrefix(low, text):
		return matchesPrefix
	case lacks:
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
		if hits := FindChoices(all, text+" "+q.Namespace, services); len(hits) > 0 {
			return all[hits[0]].Text
		}
		return text
	}
	q.From, q.To = end(q.From, false), end(q.To, true)
	q.Namespace = ""
	return q
}
