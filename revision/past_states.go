package revision

import (
	"maps"
	"slices"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
)

// PastState holds earlier states that explain rows OVN-Kubernetes leaves behind. It is replaced, never
// changed.
type PastState struct {
	// Pods are earlier versions of pods that changed in a way OVN-Kubernetes' filter ignores. Refused are
	// policies deleted while OVN-Kubernetes rejected them, and MultiNetworkPolicies whose peers no longer
	// select pods.
	Pods    map[model.Key]*model.Pod
	Refused map[model.PolicyKey]bool
}

// pastMost limits each map of PastState.
const pastMost = 4096

// RememberChanges returns the state after some changes of objects. before are the desired rows before them.
func (p *PastState) RememberChanges(changes []model.Change, before *compiler.Desired) *PastState {
	next := p
	edit := func() *PastState {
		if next == p {
			next = &PastState{Pods: map[model.Key]*model.Pod{}, Refused: map[model.PolicyKey]bool{}}
			if p != nil {
				maps.Copy(next.Pods, p.Pods)
				maps.Copy(next.Refused, p.Refused)
			}
		}
		return next
	}
	has := func(k model.Key) bool { return next != nil && next.Pods[k] != nil }
	for _, ch := range changes {
		switch old := ch.Old.(type) {
		case *model.Pod:
			now, _ := ch.New.(*model.Pod)
			switch {
			case now != nil && now.UID == old.UID && now.Deleting:
			case now == nil || now.UID != old.UID || isNoticedUpdate(old, now) || has(old.Key) && sameToRows(next.Pods[old.Key], now):
				if has(old.Key) {
					delete(edit().Pods, old.Key)
				}
			case !has(old.Key) && !sameToRows(old, now) && (next == nil || len(next.Pods) < pastMost):
				edit().Pods[old.Key] = old
			}
		case *model.Policy:
			now, stays := ch.New.(*model.Policy)
			refused := stays && network.DropsPodSelectors(old, now)
			if !stays && old.Kind.IsAdmin() {
				c := before.Policy(old.Key)
				refused = c != nil && c.WhyNoRows != nil
			}
			if refused && (next == nil || len(next.Refused) < pastMost) {
				edit().Refused[old.Key] = true
			}
		case nil:
			if now, ok := ch.New.(*model.Policy); ok && next != nil && next.Refused[now.Key] {
				delete(edit().Refused, now.Key)
			}
		}
	}
	return next
}

// isNoticedUpdate reports whether OVN-Kubernetes reacts to an update of a pod
// (ovn-kubernetes.md#event-filters).
func isNoticedUpdate(old, now *model.Pod) bool {
	return old.Labels.Key() != now.Labels.Key() || len(old.IPs) != len(now.IPs) ||
		(old.Phase == "Running") != (now.Phase == "Running") || old.IsCompleted() != now.IsCompleted()
}

// sameToRows reports whether two versions of a pod compile to the same rows.
func sameToRows(a, b *model.Pod) bool {
	return a.NodeName == b.NodeName && slices.Equal(a.IPs, b.IPs) && slices.Equal(a.Ports, b.Ports)
}

func DifferingRows(p *model.PolicyInZone) int { return p.Missing + p.Extra + p.Different }
