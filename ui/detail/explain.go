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

// MatchExplainer explains matches: the meaning of every term in one zone, with links to named objects.
type MatchExplainer struct {
	Rev *revision.Revision
	// Zone is where sets and groups are looked up; nil or never read means the desired ones.
	Zone *model.ZoneState
	// Policy is the owner of the rows, the zero key for rows that Rung does not compile.
	Policy model.PolicyKey
	// First bounds the listed members of a set or group.
	First int

	sheet      *Sheet
	termsWidth int // width of the column of terms
}

// AddMatch adds the terms of a match to a sheet; ids of lines begin with id.
func (x *MatchExplainer) AddMatch(s *Sheet, id, text string) {
	x.sheet, x.termsWidth = s, min(50, s.TextWidth()*2/5)
	if s.W < 70 {
		x.termsWidth = 0
	}
	if text == "" {
		s.AddNote(id, 2, words.Warned, s.St.Warn, s.St.Text, "The match is empty.")
		return
	}
	expr, err := match.Parse(text)
	if err != nil {
		s.AddNote(id+".error", 2, words.Warned, s.St.Warn, s.St.Text, "Rung cannot parse this match ("+err.Error()+"). It reads:")
		s.AddNote(id+".raw", 4, "", s.St.Text, s.St.CodeText, text)
		return
	}
	for i, t := range match.Terms(expr) {
		x.addTerm(fmt.Sprintf("%s.%d", id, i), &t)
	}
}

func (x *MatchExplainer) addTerm(id string, t *match.Term) {
	switch t.Kind {
	case match.TermPort:
		x.addPorts(id, t)
	case match.TermAddresses:
		x.addAddresses(id, t)
	case match.TermProtocol:
		x.addRow(id, trimParentheses(t.Text), "protocol "+strings.Join(t.Protocols, " or "), nav.Page{})
	case match.TermPorts:
		x.addRow(id, trimParentheses(t.Text), sideOfField(t.Field)+" port "+portList(t.Ports), nav.Page{})
	case match.TermNamedPorts:
		x.addNamed(id, t)
	default:
		x.addRow(id, trimParentheses(t.Text), "a condition that Rung does not explain", nav.Page{})
		for _, n := range t.PortGroups {
			x.addPortGroup(id, "@"+n, n)
		}
		for _, n := range t.AddressSets {
			x.addAddressSet(id, "$"+n, n)
		}
	}
}

// trimParentheses removes redundant outer parentheses.
func trimParentheses(s string) string {
	for strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && isBalanced(s[1:len(s)-1]) {
		s = s[1 : len(s)-1]
	}
	return s
}

func isBalanced(s string) bool {
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

func sideOfField(field string) string { return words.Choose(field == "src", "source", "destination") }

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

// addRow adds a term with its meaning; in a narrow pane the meaning has its own line.
func (x *MatchExplainer) addRow(id, term, meaning string, to nav.Page) {
	x.addStyled(id, widget.StyledLine("  "+term, x.linkStyle(to)), widget.PlainLine(meaning), to)
}

func (x *MatchExplainer) linkStyle(to nav.Page) themes.Style {
	if to.IsNone() {
		return x.sheet.St.CodeText
	}
	return x.sheet.St.Accent
}

func (x *MatchExplainer) addStyled(id string, left, right widget.Line, to nav.Page) {
	s := x.sheet
	if x.termsWidth > 0 && left.LineWidth()+2+right.LineWidth() <= max(s.TextWidth(), x.termsWidth) || left.LineWidth()+2 <= x.termsWidth {
		s.Add(id, SideBySide(left, x.termsWidth, right), to)
		return
	}
	s.Add(id, left, to)
	s.AddSkipped(widget.JoinLines(widget.PlainLine("     "), right))
}

// addPorts explains inport and outport.
func (x *MatchExplainer) addPorts(id string, t *match.Term) {
	one := len(t.PortGroups) == 1 && len(t.Names) == 0
	if !one {
		x.addRow(id, trimParentheses(t.Text), "one of these logical ports", nav.Page{})
	}
	for _, n := range t.PortGroups {
		text := "@" + n
		if one {
			text = trimParentheses(t.Text)
		}
		x.addPortGroup(id, text, n)
	}
	for _, n := range t.Names {
		text, to := PortPod(x.Rev, n)
		x.addMember(id+"."+n, "├", n, widget.PlainLine(text), to)
	}
}

// addAddresses explains ip4.src and similar fields.
func (x *MatchExplainer) addAddresses(id string, t *match.Term) {
	if len(t.AddressSets) == 1 && len(t.Addresses) == 0 {
		x.addAddressSet(id, trimParentheses(t.Text), t.AddressSets[0])
		return
	}
	if len(t.AddressSets) == 0 && len(t.Addresses) == 1 && len(t.Except) == 0 {
		text, to := AddressOwners(x.Rev, t.Addresses[0])
		x.addRow(id, trimParentheses(t.Text), sideOfField(t.Field)+" address: "+text, to)
		return
	}
	x.addRow(id, trimParentheses(t.Text), sideOfField(t.Field)+" address, one of", nav.Page{})
	for _, n := range t.AddressSets {
		x.addAddressSet(id, "$"+n, n)
	}
	for _, a := range t.Addresses {
		text, to := AddressOwners(x.Rev, a)
		x.addMember(id+"."+a, "├", a, widget.PlainLine(text), to)
	}
	for _, a := range t.Except {
		x.addMember(id+".not."+a, "├", "but not "+a, nil, nav.Page{})
	}
}

// addNamed explains pairs of address and port.
func (x *MatchExplainer) addNamed(id string, t *match.Term) {
	proto := strings.Join(t.Protocols, "")
	x.addRow(id, "named ports", words.Count(len(t.Items), "pair")+" of address and "+proto+" port, from the container ports of that name",
		nav.Page{})
	for i, it := range t.Items {
		if i == x.First && len(t.Items) > x.First+1 {
			x.sheet.Add(id+".more", widget.StyledLine("     └ "+words.Thousands(len(t.Items)-i)+" more in the match", x.sheet.St.Dim), nav.Page{})
			break
		}
		text, to := AddressOwners(x.Rev, it.IP)
		x.addMember(fmt.Sprintf("%s.%d", id, i), branchSign(i, min(len(t.Items), x.First+2)), fmt.Sprintf("%s %s %d", it.IP, proto, it.Port),
			widget.PlainLine(text), to)
	}
}

// zoneDB returns the zone's database, nil if it was never read.
func (x *MatchExplainer) zoneDB() *nb.DB {
	if x.Zone == nil {
		return nil
	}
	return x.Zone.DB
}
