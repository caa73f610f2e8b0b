package revision

import (
	"maps"
	"slices"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
)

// PastState is the part of earlier states that still matters: it explains rows that
// OVN-Kubernetes leaves. It is replaced, never changed.
type PastState struct {
	// Pods are the pods that changed in a way OVN-Kubernetes' filter does not see, as they
	// were before. Refused are the policies that were deleted while OVN-Kubernetes refused
	// them, and MultiNetworkPolicies whose peers selected pods and do so no more.
	Pods    map[model.Key]*model.Pod
	Refused map[model.PolicyKey]bool
}

// pastMost bounds what is remembered.
const pastMost = 4096

// RememberChanges takes changes of objects into account; before are the desired rows until now.
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
			refused := stays && network.TakesSelectorsBack(old, now)
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

// isNoticedUpdate says whether OVN-Kubernetes takes an update of a pod for one that matters
// (ovn-kubernetes.md#event-filters).
func isNoticedUpdate(old, now *model.Pod) bool {
	return old.Labels.Key() != now.Labels.Key() || len(old.IPs) != len(now.IPs) ||
		(old.Phase == "Running") != (now.Phase == "Running") || old.IsCompleted() != now.IsCompleted()
}

// sameToRows says whether two versions of a pod give the same rows.
func sameToRows(a, b *model.Pod) bool {
	return a.NodeName == b.NodeName && slices.Equal(a.IPs, b.IPs) && slices.Equal(a.Ports, b.Ports)
}

func DifferingRows(p *model.PolicyInZone) int { return p.Missing + p.Extra + p.Different }
