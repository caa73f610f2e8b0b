package dialect

import (
	"time"

	"rung/model"
)

// OtherNetwork tells how a policy applies to a network other than the default.
type OtherNetwork struct {
	HasNoAddresses bool
	Attachments    []Attachment // NetworkAttachmentDefinitions of the network
	// Own has the keys of the attachments that apply to the policy.
	Own map[string]bool
}

// Attachment is a NetworkAttachmentDefinition with its creation time, zero if unknown.
type Attachment struct {
	Key     string
	Created time.Time
}

// explainNotProgrammed explains a policy that a network's controller should have programmed but did not.
// Either the NetworkAttachmentDefinition that brings it there is younger than the policy and the network
// (networks.md#namespaces,
// #multinetworkpolicy), or the policy was rejected before (#defects).
func explainNotProgrammed(p *model.PolicyInZone, f *Facts) []*DiffCause {
	if p.LiveACLs > 0 || !lacksAll(p) {
		return nil
	}
	key := f.OtherNetwork.lateFor(f.Policy.Created)
	defect, multi := JoinedLate, f.Policy.Kind == model.KindMNP
	if multi {
		defect = AttachedLate
	}
	switch {
	case key != "":
		return causeForAll(p, &DiffCause{defect, key + " is younger than the policy and the network"})
	case multi && f.OtherNetwork.HasNoAddresses && f.Refused:
		return causeForAll(p, &DiffCause{Defect: SelectorsRemembered})
	}
	return nil
}

// lateFor returns the NetworkAttachmentDefinition that brings a policy to the network, if it is younger than
// both. Empty if an older one does so too, or if an age is unknown.
func (e *OtherNetwork) lateFor(policy time.Time) (late string) {
	if policy.IsZero() {
		return ""
	}
	first := time.Time{} // when the network began to run
	for _, a := range e.Attachments {
		if a.Created.IsZero() {
			return ""
		}
		if first.IsZero() || a.Created.Before(first) {
			first = a.Created
		}
	}
	for _, a := range e.Attachments {
		switch {
		case !e.Own[a.Key]:
		case !a.Created.After(policy) || !a.Created.After(first):
			return ""
		case late == "":
			late = a.Key
		}
	}
	return late
}
