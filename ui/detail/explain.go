package detail

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/nav"
	"rung/ui/widget"
)

// Explain takes matches apart for people: every term with what it means in one
// zone, and links to what it names.
type Explain struct {
	Rev *revision.Revision
	// Zone is where sets and groups are looked up; nil, or one that was never
	// read, shows the desired ones.
	Zone *model.ZoneState
	// Policy is the policy that the rows belong to, the zero key for rows that Rung does not
	// compile.
	Policy model.PolicyKey
	// First is how many members of a set or group are listed.
	First int

	sheet *Sheet
	left  int // width of the column of terms
}

// Match adds the terms of a match to a sheet; ids of lines begin with id.
func (x *Explain) Match(s *Sheet, id, text string) {
	x.sheet, x.left = s, min(50, s.In()*2/5)
	if s.W < 70 {
		x.left = 0
	}
	if text == "" {
		s.Say(id, 2, "▲", s.St.Warn, s.St.Text, "The match is empty.", nav.Page{})
		return
	}
	expr, err := match.Parse(text)
	if err != nil {
		s.Say(id+".error", 2, "▲", s.St.Warn, s.St.Text, "Rung cannot parse this match ("+err.Error()+"). It reads:", nav.Page{})
		s.Say(id+".raw", 4, "", s.St.Text, s.St.CodeText, text, nav.Page{})
		return
	}
	for i, t := range match.Terms(expr) {
		x.term(fmt.Sprintf("%s.%d", id, i), &t)
	}
}

func (x *Explain) term(id string, t *match.Term) {
	switch t.Kind {
	case match.TermPort:
		x.ports(id, t)
	case match.TermAddresses:
		x.addresses(id, t)
	case match.TermProtocol:
		x.row(id, bare(t.Text), "protocol "+strings.Join(t.Protocols, " or "), nav.Page{})
	case match.TermPorts:
		x.row(id, bare(t.Text), side(t.Field)+" port "+portList(t.Ports), nav.Page{})
	case match.TermNamedPorts:
		x.named(id, t)
	default:
		x.row(id, bare(t.Text), "a condition that Rung does not take apart", nav.Page{})
		for _, n := range t.PortGroups {
			x.group(id, "@"+n, n)
		}
		for _, n := range t.AddressSets {
			x.set(id, "$"+n, n)
		}
	}
}

// bare takes needless parentheses off a term for people.
func bare(s string) string {
	for strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && balanced(s[1:len(s)-1]) {
		s = s[1 : len(s)-1]
	}
	return s
}

func balanced(s string) bool {
	depth := 0
	for _, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			if depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func side(field string) string {
	if field == "src" {
		return "source"
	}
	return "destination"
}

func portList(ports []match.PortTerm) string {
	parts := make([]string, len(ports))
	for i, p := range ports {
		parts[i] = fmt.Sprint(p.Lo)
		if p.Hi > p.Lo {
			parts[i] = fmt.Sprintf("%d–%d", p.Lo, p.Hi)
		}
	}
	return strings.Join(parts, ", ")
}

// row is one term with its meaning; in a narrow pane the meaning takes a line
// of its own.
func (x *Explain) row(id, term, meaning string, to nav.Page) {
	x.styled(id, widget.Styled("  "+term, x.look(to)), widget.Plain(meaning), to)
}

func (x *Explain) look(to nav.Page) themes.Style {
	if to.None() {
		return x.sheet.St.CodeText
	}
	return x.sheet.St.Accent
}

func (x *Explain) styled(id string, left, right widget.Line, to nav.Page) {
	s := x.sheet
	if x.left > 0 && left.Width()+2+right.Width() <= max(s.In(), x.left) || left.Width()+2 <= x.left {
		s.Add(id, Two(left, x.left, right), to)
		return
	}
	s.Add(id, left, to)
	s.skip(widget.Join(widget.Plain("     "), right))
}

// ports explains inport and outport.
func (x *Explain) ports(id string, t *match.Term) {
	one := len(t.PortGroups) == 1 && len(t.Names) == 0
	if !one {
		x.row(id, bare(t.Text), "one of these logical ports", nav.Page{})
	}
	for _, n := range t.PortGroups {
		text := "@" + n
		if one {
			text = bare(t.Text)
		}
		x.group(id, text, n)
	}
	for _, n := range t.Names {
		text, to := Port(x.Rev, n)
		x.member(id+"."+n, "├", n, widget.Plain(text), to)
	}
}

// addresses explains ip4.src and its like.
func (x *Explain) addresses(id string, t *match.Term) {
	if len(t.AddressSets) == 1 && len(t.Addresses) == 0 {
		x.set(id, bare(t.Text), t.AddressSets[0])
		return
	}
	if len(t.AddressSets) == 0 && len(t.Addresses) == 1 && len(t.Except) == 0 {
		text, to := Behind(x.Rev, t.Addresses[0])
		x.row(id, bare(t.Text), side(t.Field)+" address: "+text, to)
		return
	}
	x.row(id, bare(t.Text), side(t.Field)+" address, one of", nav.Page{})
	for _, n := range t.AddressSets {
		x.set(id, "$"+n, n)
	}
	for _, a := range t.Addresses {
		text, to := Behind(x.Rev, a)
		x.member(id+"."+a, "├", a, widget.Plain(text), to)
	}
	for _, a := range t.Except {
		x.member(id+".not."+a, "├", "but not "+a, nil, nav.Page{})
	}
}

// named explains pairs of address and port.
func (x *Explain) named(id string, t *match.Term) {
	proto := strings.Join(t.Protocols, "")
	x.row(id, "named ports", words.Total(len(t.Items), "pair")+" of address and "+proto+" port, from the container ports of that name", nav.Page{})
	for i, it := range t.Items {
		if i == x.First && len(t.Items) > x.First+1 {
			x.sheet.Add(id+".more", widget.Styled(fmt.Sprintf("     └ %d more in the match", len(t.Items)-i), x.sheet.St.Dim), nav.Page{})
			break
		}
		text, to := Behind(x.Rev, it.IP)
		x.member(fmt.Sprintf("%s.%d", id, i), branch(i, min(len(t.Items), x.First+2)), fmt.Sprintf("%s %s %d", it.IP, proto, it.Port), widget.Plain(text), to)
	}
}

// db is the zone's database, nil when it was never read.
func (x *Explain) db() *nb.DB {
	if x.Zone == nil {
		return nil
	}
	return x.Zone.DB
}
