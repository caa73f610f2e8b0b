package logs

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
)

// attributor finds the rule behind a log line by the ACL's name. A truncated name
// (ovn-kubernetes.md#acl-names) leaves candidates, judged by verdict, direction and by evaluating their
// desired rows for the packet.
type attributor struct {
	mu    sync.Mutex
	rows  map[rowsKey]*judgedRows
	names map[string]*decodedName
	index nameIndex
	facts map[logline.RuleRef]*ruleFacts
	pods  podNodes
}

type rowsKey struct {
	policy model.PolicyKey
	zone   string
}

// judgedRows holds the desired rows of a policy, or of a namespace's default deny, in one zone, ready to
// evaluate. They are used for a second even if pods change meanwhile: making them lists all members.
type judgedRows struct {
	policy *model.Policy
	made   time.Time
	rows   *model.PolicyRows
	exprs  map[*nb.ACL]match.Expr
	group  string // port group whose ports are the subject's
	ports  map[string]bool
	sets   map[string]*match.AddrSet
}

const judgedFor = time.Second

// maxCandidates bounds the candidate rules that an entry names.
const maxCandidates = 3

// attribute fills in where a line was written, which rule decided, and which of the rule's networks has an
// outside address. It returns the facts about the rule, nil if not found, and which of its ACLs logged the
// line.
func (a *attributor) attribute(rev *revision.Revision, e *Entry, now time.Time) (f *ruleFacts, acl string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.findNode(rev, e, now)
	if e.Line.Named != nil {
		a.byName(rev, e, now)
	} else {
		switch d := a.decodeName(e.Line.Name); {
		case d.old:
			a.byOldName(rev, e, d.ref, now)
		case !d.ok:
			e.Rule = d.ref
		case d.ref.Exact:
			e.Rule, e.Attributed = d.ref, true
			if d.facts == nil || d.facts.cluster != rev.Cluster {
				d.facts = a.findRuleFacts(rev, e.Rule)
			}
			f = d.facts
		default:
			a.chooseCandidate(rev, e, d.ref, a.findCandidates(rev, &e.Line), now)
		}
	}
	if !e.Attributed {
		return nil, ""
	}
	if f == nil {
		f = a.findRuleFacts(rev, e.Rule)
	}
	if f.gone != "" && knowsPolicies(rev) {
		e.Gone = f.gone
	}
	e.RuleName = cmp.Or(e.RuleName, f.name)
	peer := &e.Src
	addr := e.Line.Src
	if e.Rule.Direction == model.Egress {
		peer, addr = &e.Dst, e.Line.Dst
	}
	if peer.IsOutside() && len(f.networks) > 0 {
		peer.Network = f.narrowestNetwork(addr.Unmap())
	}
	if f.byProtocol {
		acl = e.Line.Proto
	}
	return f, acl
}

// chooseCandidate takes the only candidate that fits the packet. If none fits, the reference keeps what the
// name gives away; if several fit, the entry names them.
func (a *attributor) chooseCandidate(rev *revision.Revision, e *Entry, ref logline.RuleRef, found []logline.RuleRef, now time.Time) {
	if len(found) > 1 {
		found = a.judgeCandidates(rev, e, found, now)
	}
	ref.Rule = -1
	e.Rule = ref
	switch {
	case len(found) == 1:
		e.Rule, e.Attributed = found[0], true
	case len(found) > 1:
		e.Candidates, e.CandidateCount = found[:min(len(found), maxCandidates)], len(found)
		if allHaveSame(found, func(r logline.RuleRef) model.PolicyKey { return r.Policy }) {
			e.Rule.Policy = found[0].Policy
		}
		if allHaveSame(found, func(r logline.RuleRef) model.Direction { return r.Direction }) {
			e.Rule.Direction = found[0].Direction
		}
	}
}

// allHaveSame reports whether of returns the same for all.
func allHaveSame[T comparable](in []logline.RuleRef, of func(logline.RuleRef) T) bool {
	return !slices.ContainsFunc(in, func(r logline.RuleRef) bool { return of(r) != of(in[0]) })
}

// verdicts maps actions to their words in log lines.
var verdicts = map[model.Action]string{model.Allow: "allow", model.Deny: "drop", model.Pass: "pass"}

// aclDirection returns the direction of the ACLs of a kind's rules. An EgressFirewall's decide at the end of
// the pipeline (ovn-kubernetes.md#firewall-rows).
func aclDirection(k model.Kind, d model.Direction) string {
	return words.Choose(d == model.Ingress || k == model.KindEF, nb.ToLport, nb.FromLport)
}

// judgeCandidates keeps the candidates whose rows match the packet, and of these the ones with the highest OVN
// priority. It keeps all if no candidate has rows.
func (a *attributor) judgeCandidates(rev *revision.Revision, e *Entry, in []logline.RuleRef, now time.Time) (out []logline.RuleRef) {
	best, judged := 0, false
	for _, ref := range in {
		j := a.findJudgedRows(rev, rowsKey{unitOf(ref), lineZone(rev, e, ref.Direction)}, now)
		if j == nil {
			continue
		}
		judged = true
		for _, acl := range j.rows.ACLs {
			if acl.Priority < best || !CanLogFor(acl, ref) || !j.aclMatches(acl, linePacket(e, ref.Direction)) {
				continue
			}
			if acl.Priority > best {
				best, out = acl.Priority, nil
			}
			out = append(out, ref)
			break
		}
	}
	return words.Choose(judged, out, in)
}

// lineZone returns the zone that wrote a line. If that name is neither zone nor node, such as a file's name, it
// returns the zone of the rule's subject.
func lineZone(rev *revision.Revision, e *Entry, d model.Direction) string {
	if rev.Zone(e.Line.Zone) != nil || rev.Cluster.Node(e.Line.Zone) != nil {
		return e.Line.Zone
	}
	if k := subjectEnd(e, d).Key; k.Kind == model.KindPod {
		if p := rev.Cluster.Pod(k.Namespace, k.Name); p != nil {
			return p.NodeName
		}
	}
	return e.Line.Zone
}

// subjectEnd returns the subject's end for a rule of that direction.
func subjectEnd(e *Entry, d model.Direction) *End {
	return words.Choose(d == model.Ingress, &e.Dst, &e.Src)
}

func (a *attributor) findJudgedRows(rev *revision.Revision, k rowsKey, now time.Time) *judgedRows {
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
		exprs: map[*nb.ACL]match.Expr{}, ports: map[string]bool{}, sets: map[string]*match.AddrSet{}}
	if rows.PortGroup != nil {
		j.group = rows.PortGroup.Name
		for _, lsp := range rows.PortGroup.Ports {
			j.ports[lsp] = true
		}
	} else { // the namespace's port group
		_, j.group = revision.FindACLHolder(k.policy)
		for _, pod := range rev.Subjects(k.policy) {
			j.ports[nb.PortName(pod.Namespace, pod.Name)] = true
		}
	}
	for _, unit := range append([]model.Key{k.policy}, rev.RelatedUnits(k.policy)...) {
		if rows := rev.Rows(unit, k.zone); rows != nil && unit.Kind != model.KindNetpolNamespace {
			for _, s := range rows.AddressSets {
				j.sets[s.Name] = match.NewAddrSet(s.Addresses)
			}
		}
	}
	a.rows[k] = j
	return j
}

func (j *judgedRows) aclMatches(acl *nb.ACL, p match.Packet) bool {
	expr, ok := j.exprs[acl]
	if !ok {
		expr, _ = match.Parse(acl.Match) // an unparsable row matches nothing; our own always parse
		j.exprs[acl] = expr
	}
	if expr == nil {
		return false
	}
	yes, err := match.Eval(expr, p, j)
	return err == nil && yes
}

// PortGroupHas and AddressSet implement match's environment with the rows.
func (j *judgedRows) PortGroupHas(name, lport string) bool {
	return name == j.group && j.ports[lport]
}

// AddressSet finds an address set of the policy's rules.
func (j *judgedRows) AddressSet(name string) (*match.AddrSet, bool) {
	s, ok := j.sets[name]
	return s, ok
}

// linePacket returns the line's packet, with the logical port of the pod at the subject's end.
func linePacket(e *Entry, d model.Direction) match.Packet {
	l := &e.Line
	p := match.Packet{Src: l.Src.Unmap(), Dst: l.Dst.Unmap(),
		Proto: match.Proto(l.Proto), SrcPort: l.SrcPort, DstPort: l.DstPort,
		ICMPType: uint8(l.ICMPType), ICMPCode: uint8(l.ICMPCode)}
	port := words.Choose(d == model.Ingress, &p.OutPort, &p.InPort)
	if subject := subjectEnd(e, d); subject.Key.Kind == model.KindPod {
		*port = nb.PortName(subject.Key.Namespace, subject.Key.Name)
	}
	return p
}
