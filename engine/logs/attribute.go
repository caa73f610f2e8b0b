package logs

import (
	"strings"
	"sync"
	"time"

	"rung/engine/revision"
	"rung/model"
	"rung/model/match"
	"rung/model/nb"
)

// attributor finds the rule behind a log line. The ACL's name tells it; a name
// that was cut (ovn-kubernetes.md#acl-names) leaves candidates, which are judged by
// verdict, direction and by evaluating their desired rows for the packet.
type attributor struct {
	mu   sync.Mutex
	rows map[rowsKey]*judgedRows
}

type rowsKey struct {
	policy model.PolicyKey
	zone   string
}

// judgedRows are the desired rows of one policy or of the default deny of a
// namespace in one zone, ready to evaluate.
// They are used for a second even when pods come and go meanwhile: making them
// lists all members.
type judgedRows struct {
	policy *model.Policy
	made   time.Time
	rows   *model.PolicyRows
	exprs  map[*nb.ACL]match.Expr
	group  string // whose ports are those of the subject
	ports  map[string]bool
	sets   map[string]match.AddrSet
}

const judgedFor = time.Second

// rule finds the rule of a line. With ok false the reference is as much of it as the
// name gives away.
func (a *attributor) rule(rev *revision.Revision, e *Entry, now time.Time) (ref model.RuleRef, ok bool) {
	ref, ok = model.DecodeName(e.Line.Name)
	if !ok || ref.Exact {
		return ref, ok
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

// directionOf is where the ACLs of a kind's rules decide: those of an
// EgressFirewall at the end of the pipeline (ovn-kubernetes.md#firewall-rows).
func directionOf(k model.Kind, d model.Direction) string {
	if d == model.Ingress || k == model.KindEF {
		return nb.ToLport
	}
	return nb.FromLport
}

// mayBeIn says whether an ACL of a kind's rules in a direction may have logged the line.
func mayBeIn(line *model.LogLine, k model.Kind, d model.Direction) bool {
	return line.Direction == "" || line.Direction == directionOf(k, d)
}

// candidates are the rules whose ACLs carry the line's name and could have come
// to its verdict, and the default denies of namespaces.
func candidates(rev *revision.Revision, line *model.LogLine) (out []model.RuleRef) {
	denies := map[string]bool{}
	for p := range rev.Cluster.AllPolicies() {
		if p.Kind == model.KindNP && !denies[p.Namespace] {
			denies[p.Namespace] = true
			out = append(out, defaultDenies(p.Namespace, line)...)
		}
		if begin := nameBegin(p); !strings.HasPrefix(begin, cutTo(line.Name, len(begin))) {
			continue
		}
		for _, d := range []model.Direction{model.Ingress, model.Egress} {
			if !mayBeIn(line, p.Kind, d) {
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

// defaultDenies are the default denies of a namespace with NetworkPolicies that
// carry the line's name.
func defaultDenies(namespace string, line *model.LogLine) (out []model.RuleRef) {
	if line.Verdict != verdicts[model.Deny] {
		return nil
	}
	k := model.PolicyKey{Kind: model.KindNP, Namespace: namespace}
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		if model.ACLName(k, d, -1) == line.Name && mayBeIn(line, k.Kind, d) {
			out = append(out, model.RuleRef{Policy: k, Direction: d, Rule: -1, Exact: true})
		}
	}
	return out
}

// nameBegin is how the names of a policy's ACLs begin, however many there are.
func nameBegin(p *model.Policy) string {
	switch p.Kind {
	case model.KindNP:
		return "NP:" + p.Namespace + ":" + p.Name + ":"
	case model.KindEF:
		return "EF:" + p.Namespace + ":"
	}
	return p.Kind.Short() + ":" + p.Name + ":"
}

func cutTo(s string, n int) string { return s[:min(len(s), n)] }

// judge keeps the candidates whose rows match the packet, and of these the ones
// that OVN asks first.
func (a *attributor) judge(rev *revision.Revision, e *Entry, in []model.RuleRef, now time.Time) (out []model.RuleRef) {
	a.mu.Lock()
	defer a.mu.Unlock()
	best := 0
	for _, ref := range in {
		unit := ref.Policy
		if unit.Name == "" {
			unit = revision.DefaultDeny(unit.Namespace, ref.Direction)
		}
		j := a.judged(rev, rowsKey{unit, e.Line.Zone}, now)
		if j == nil {
			continue
		}
		for _, acl := range j.rows.ACLs {
			if acl.Priority < best || !logsFor(acl, ref) {
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

// logsFor says whether the ACL is one of the rule's, or the default deny's: the
// other rows of that never log (ovn-kubernetes.md#default-deny).
func logsFor(acl *nb.ACL, ref model.RuleRef) bool {
	if ref.Rule < 0 {
		return acl.Action == nb.ActionDrop
	}
	_, dir, i, ok := revision.RuleOf(acl.ExternalIDs)
	return ok && dir == ref.Direction && i == ref.Rule
}

func (a *attributor) judged(rev *revision.Revision, k rowsKey, now time.Time) *judgedRows {
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
	j := &judgedRows{policy: p, made: now, rows: rows,
		exprs: map[*nb.ACL]match.Expr{}, ports: map[string]bool{}, sets: map[string]match.AddrSet{}}
	if rows.PortGroup != nil {
		j.group = rows.PortGroup.Name
		for _, lsp := range rows.PortGroup.Ports {
			j.ports[lsp] = true
		}
	} else { // the group is the namespace's
		_, j.group = revision.HolderOf(k.policy)
		for _, pod := range rev.Subjects(k.policy) {
			j.ports[nb.PortName(pod.Namespace, pod.Name)] = true
		}
	}
	addSets := func(rows *model.PolicyRows) {
		for _, s := range rows.AddressSets {
			j.sets[s.Name] = match.NewAddrSet(s.Addresses)
		}
	}
	addSets(rows)
	for _, unit := range rev.Related(k.policy) {
		if unit.Kind == model.KindNetpolNamespace {
			continue
		}
		if rows := rev.Rows(unit, k.zone); rows != nil {
			addSets(rows)
		}
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
	return name == j.group && j.ports[lport]
}

// AddressSet finds one of the sets that the policy's rules name.
func (j *judgedRows) AddressSet(name string) (match.AddrSet, bool) {
	s, ok := j.sets[name]
	return s, ok
}

// packetOf is the line's packet; the subject's logical port is that of the pod
// at the subject's end.
func packetOf(e *Entry, d model.Direction) match.Packet {
	l := &e.Line
	p := match.Packet{Src: l.Src.Unmap(), Dst: l.Dst.Unmap(),
		Proto: match.Proto(l.Proto), SrcPort: l.SrcPort, DstPort: l.DstPort,
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

// ruleOf is the rule's own name, and which of its ACLs logged the line: a rule
// has one for each protocol of its ports, and one for all without ports
// (ovn-kubernetes.md#acls-of-a-rule).
func ruleOf(rev *revision.Revision, e *Entry) (name, acl string) {
	p := rev.Cluster.Policy(e.Rule.Policy)
	if p == nil {
		return "", ""
	}
	r := p.Rule(e.Rule.Direction, e.Rule.Rule)
	if r == nil {
		return "", ""
	}
	if len(r.Ports) > 0 && p.Kind != model.KindEF { // a firewall's rule has one for all
		acl = e.Line.Proto
	}
	return r.Name, acl
}
