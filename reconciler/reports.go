package reconciler

import (
	"fmt"
	"reflect"

	"rung/model"
)

// Condition texts of OVN-Kubernetes (ovn-kubernetes.md#status-conditions).
const (
	conditionPrefix = "Ready-In-Zone-"
	reasonSucceeded = "SetupSucceeded"
	reasonFailed    = "SetupFailed"
	messageOK       = "Setting up OVN DB plumbing was successful"
	maxANPMessage   = 32766 // bytes; a BANP's message is not cut
)

// Event reasons (ovn-kubernetes.md#events).
const (
	reasonUnsupported = "ANPWithUnsupportedPriority"
	reasonDuplicate   = "ANPWithDuplicatePriority"
)

// reporter reports policies' conditions and events as OVN-Kubernetes' controller on that node would.
type reporter struct {
	cfg *Config

	lastSent map[model.PolicyKey]sentCondition
	// programmed are the policies programmed since the start. byPriority holds only the first policy at each
	// priority: once it moves away, later duplicates go unnoticed (ovn-kubernetes.md#duplicate-priority).
	programmed map[model.PolicyKey]programmedPolicy
	byPriority map[int32]string
	// refusedVersions are the policy versions with an event about their unsupported priority.
	refusedVersions map[model.PolicyKey]*model.Policy
}

type sentCondition struct {
	uid string
	c   model.Condition
}

type programmedPolicy struct {
	uid      string
	priority int32
}

func newReporter(cfg *Config) *reporter {
	return &reporter{cfg: cfg, lastSent: map[model.PolicyKey]sentCondition{}, programmed: map[model.PolicyKey]programmedPolicy{},
		byPriority: map[int32]string{}, refusedVersions: map[model.PolicyKey]*model.Policy{}}
}

// reportSuccess reports a policy whose rows were written or already right.
func (r *reporter) reportSuccess(p *model.Policy) {
	if p.Kind == model.KindCNP {
		return // OVN-Kubernetes has no controller that reports it
	}
	if was, ok := r.programmed[p.Key]; ok && was.uid != p.UID {
		r.forgetPolicy(p.Key) // replaced by a new object of the same name
	}
	was, known := r.programmed[p.Key]
	if p.Kind == model.KindANP && (!known || was.priority != p.Priority) {
		if known && r.byPriority[was.priority] == p.Name {
			delete(r.byPriority, was.priority)
		}
		if other, taken := r.byPriority[p.Priority]; !taken {
			r.byPriority[p.Priority] = p.Name
		} else if other != p.Name {
			r.sendEvent(p.Key, reasonDuplicate, fmt.Sprintf("This ANP %s has a conflicting priority with ANP %s:"+
				"Please verify your rules are non-lapping between all policies at same priority to avoid undefined behavior", p.Name, other))
		}
	}
	r.programmed[p.Key] = programmedPolicy{p.UID, p.Priority}
	delete(r.refusedVersions, p.Key)
	r.sendCondition(p, "True", reasonSucceeded, messageOK)
}

// reportNoRows reports a policy without desired rows.
func (r *reporter) reportNoRows(p *model.Policy, none *model.NoRows) {
	if p.Kind == model.KindCNP {
		return
	}
	if none.Code == "priority" && !isSameSpec(r.refusedVersions[p.Key], p) {
		r.refusedVersions[p.Key] = p
		r.sendEvent(p.Key, reasonUnsupported, fmt.Sprintf("This ANP %s has an unsupported priority %d; "+
			"Please update the priority to a value between 0(highest priority) and %d(lowest priority)", p.Name, p.Priority, r.cfg.MaxPriority))
	}
	r.sendCondition(p, "False", reasonFailed, none.Message)
}

// isSameSpec reports whether OVN-Kubernetes ignores an update from a to b (ovn-kubernetes.md#event-filters).
func isSameSpec(a, b *model.Policy) bool {
	return a != nil && a.UID == b.UID && a.Priority == b.Priority &&
		a.Logging == b.Logging && a.HasLogging == b.HasLogging && reflect.DeepEqual(a.Subject, b.Subject) &&
		reflect.DeepEqual(a.Ingress, b.Ingress) && reflect.DeepEqual(a.Egress, b.Egress)
}

// reportFailure reports a rejected write. Like OVN-Kubernetes, it writes ANP for the update of a BANP
// (ovn-kubernetes.md#policy-sync).
func (r *reporter) reportFailure(p *model.Policy, text string) {
	if p.Kind == model.KindCNP {
		return
	}
	verb, kind := "update", "ANP"
	if _, known := r.programmed[p.Key]; !known {
		verb, kind = "create", p.Kind.Abbreviation()
	}
	r.sendCondition(p, "False", reasonFailed, fmt.Sprintf("failed to %s %s %s: %s", verb, kind, p.Name, text))
}

// forgetPolicy forgets a policy.
func (r *reporter) forgetPolicy(k model.PolicyKey) {
	if was, ok := r.programmed[k]; ok && k.Kind == model.KindANP && r.byPriority[was.priority] == k.Name {
		delete(r.byPriority, was.priority)
	}
	delete(r.programmed, k)
	delete(r.lastSent, k)
	delete(r.refusedVersions, k)
}

func (r *reporter) sendEvent(k model.PolicyKey, reason, message string) {
	if r.cfg.Events != nil {
		r.cfg.Events.Event(model.Event{About: k, Type: "Warning", Reason: reason, Message: message, Reporter: r.cfg.Zone.Name(),
			Last: r.cfg.Clock(), Count: 1})
	}
}

// sendCondition reports a condition unless it was the last one reported or the policy has it already.
func (r *reporter) sendCondition(p *model.Policy, status, reason, message string) {
	if p.Kind == model.KindANP && len(message) > maxANPMessage {
		message = message[:maxANPMessage]
	}
	c := model.Condition{Type: conditionPrefix + r.cfg.Zone.Name(), Status: status, Reason: reason, Message: message,
		Changed: model.Stamp{Time: r.cfg.Clock()}}
	last, ok := r.lastSent[p.Key]
	if !ok || last.uid != p.UID {
		last.c = model.Condition{}
		for _, has := range p.Conditions {
			if has.Type == c.Type {
				last.c = has
			}
		}
	}
	same := last.c.Type == c.Type && last.c.Status == c.Status
	if same {
		c.Changed = last.c.Changed
	}
	r.lastSent[p.Key] = sentCondition{p.UID, c}
	if r.cfg.Status != nil && !(same && last.c.Reason == c.Reason && last.c.Message == c.Message) {
		r.cfg.Status.SetCondition(p.Key, c)
	}
}
