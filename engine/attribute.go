package engine

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"rung/model"
	"rung/model/match"
	"rung/model/nb"
)

// attributor finds the rule behind a log line. The ACL's name tells it; a name
// that was cut (compile-spec §1.5) leaves candidates, which are judged by
// verdict, direction and by evaluating their desired rows for the packet.
type attributor struct {
	mu   sync.Mutex
	rows map[rowsKey]*judgedRows
}

type rowsKey struct {
	policy model.PolicyKey
	zone   string
}

// judgedRows are the desired rows of one policy in one zone, ready to evaluate.
// They are used for a second even when pods come and go meanwhile: making them
// lists all members.
type judgedRows struct {
	policy *model.Policy
	made   time.Time
	rows   *model.PolicyRows
	exprs  map[*nb.ACL]match.Expr
	ports  map[string]bool
	sets   map[string]match.AddrSet
}

const judgedFor = time.Second

func newAttributor() *attributor { return &attributor{rows: map[rowsKey]*judgedRows{}} }

// rule finds the rule of a line. What it returns with ok false is what the name
// tells without doubt.
func (a *attributor) rule(rev *Revision, e *LogEntry, now time.Time) (ref model.RuleRef, ok bool) {
	ref, ok = model.DecodeName(e.Line.Name)
	if !ok || ref.Exact || rev == nil || !ref.Policy.Kind.IsAdmin() {
		return ref, ok && ref.Exact
	}
	found := candidates(rev, &e.Line)
	if len(found) > 1 {
		found = a.judge(rev, e, found, now)
	}
	if len(found) == 1 {
		return found[0], true
	}
	ref.Rule = -1
	return ref, false
}

// verdicts are what each action is called in a log line.
var verdicts = map[model.Action]string{model.Allow: "allow", model.Deny: "drop", model.Pass: "pass"}

func directionOf(d model.Direction) string {
	if d == model.Ingress {
		return nb.ToLport
	}
	return nb.FromLport
}

// candidates are the rules whose ACLs carry the line's name and could have come
// to its verdict.
func candidates(rev *Revision, line *model.LogLine) (out []model.RuleRef) {
	for p := range rev.Cluster.AllPolicies() {
		if !p.Kind.IsAdmin() || !strings.HasPrefix(p.Kind.Short()+":"+p.Name+":", cutTo(line.Name, len(p.Kind.Short())+len(p.Name)+2)) {
			continue
		}
		for _, d := range []model.Direction{model.Ingress, model.Egress} {
			if line.Direction != "" && line.Direction != directionOf(d) {
				continue
			}
			for i, r := range p.Rules(d) {
				if verdicts[r.Action] == line.Verdict && model.ACLName(p.Key, d, i) == line.Name {
					out = append(out, model.RuleRef{Policy: p.Key, Direction: d, Rule: i, Exact: true})
				}
			}
		}
	}
	return out
}

func cutTo(s string, n int) string { return s[:min(len(s), n)] }

// judge keeps the candidates whose rows match the packet, and of these the ones
// that OVN asks first.
func (a *attributor) judge(rev *Revision, e *LogEntry, in []model.RuleRef, now time.Time) (out []model.RuleRef) {
	a.mu.Lock()
	defer a.mu.Unlock()
	best := 0
	for _, ref := range in {
		j := a.judged(rev, rowsKey{ref.Policy, e.Line.Zone}, now)
		if j == nil {
			continue
		}
		for _, acl := range j.rows.ACLs {
			if _, dir, i, ok := RuleOf(acl.ExternalIDs); !ok || dir != ref.Direction || i != ref.Rule || acl.Priority < best {
				continue
			}
			if !j.matches(acl, packetOf(e, ref.Direction)) {
				continue
			}
			if acl.Priority > best {
				best, out = acl.Priority, nil
			}
			out = append(out, ref)
			break
		}
	}
	return out
}

func (a *attributor) judged(rev *Revision, k rowsKey, now time.Time) *judgedRows {
	p := rev.Cluster.Policy(k.policy)
	if j := a.rows[k]; j != nil && j.policy == p && now.Sub(j.made) < judgedFor {
		return j
	}
	rows := rev.Rows(k.policy, k.zone)
	if rows == nil || rows.None != nil {
		delete(a.rows, k)
		return nil
	}
	if len(a.rows) > 64 {
		clear(a.rows)
	}
	j := &judgedRows{policy: p, made: now, rows: rows, exprs: map[*nb.ACL]match.Expr{}, ports: map[string]bool{}, sets: map[string]match.AddrSet{}}
	for _, lsp := range rows.PortGroup.Ports {
		j.ports[lsp] = true
	}
	for _, s := range rows.AddressSets {
		j.sets[s.Name] = match.NewAddrSet(s.Addresses)
	}
	a.rows[k] = j
	return j
}

func (j *judgedRows) matches(acl *nb.ACL, p match.Packet) bool {
	expr, ok := j.exprs[acl]
	if !ok {
		var err error
		if expr, err = match.Parse(acl.Match); err != nil {
			expr = nil // rows of our own always parse; one that does not matches nothing
		}
		j.exprs[acl] = expr
	}
	if expr == nil {
		return false
	}
	yes, err := match.Eval(expr, p, j)
	return err == nil && yes
}

// PortGroupHas and AddressSet make the rows an environment of match.
func (j *judgedRows) PortGroupHas(name, lport string) bool {
	return name == j.rows.PortGroup.Name && j.ports[lport]
}

// AddressSet finds one of the policy's address sets.
func (j *judgedRows) AddressSet(name string) (match.AddrSet, bool) {
	s, ok := j.sets[name]
	return s, ok
}

// packetOf is the line's packet; the subject's logical port is that of the pod
// at the subject's end.
func packetOf(e *LogEntry, d model.Direction) match.Packet {
	l := &e.Line
	p := match.Packet{Src: unmapped(l.Src), Dst: unmapped(l.Dst), Proto: match.Proto(l.Proto), SrcPort: l.SrcPort, DstPort: l.DstPort,
		ICMPType: uint8(l.ICMPType), ICMPCode: uint8(l.ICMPCode)}
	subject := &e.Src
	port := &p.InPort
	if d == model.Ingress {
		subject, port = &e.Dst, &p.OutPort
	}
	if subject.Key.Kind == model.KindPod {
		*port = nb.PortName(subject.Key.Namespace, subject.Key.Name)
	}
	return p
}

func unmapped(a netip.Addr) netip.Addr {
	if a.IsValid() {
		return a.Unmap()
	}
	return a
}

// ruleOf is the rule's own name, and which of its ACLs logged the line: a rule
// has one for each protocol of its ports, and one for all without ports
// (compile-spec §1.4).
func ruleOf(rev *Revision, e *LogEntry) (name, acl string) {
	if rev == nil {
		return "", ""
	}
	p := rev.Cluster.Policy(e.Rule.Policy)
	if p == nil {
		return "", ""
	}
	r := p.Rule(e.Rule.Direction, e.Rule.Rule)
	if r == nil {
		return "", ""
	}
	if len(r.Ports) > 0 {
		acl = e.Line.Proto
	}
	return r.Name, acl
}
