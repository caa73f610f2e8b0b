package effect

import (
	"context"
	"slices"

	"rung/model"
	"rung/revision"
)

// compareNetworks adds the connections on all networks except the default one, each with its network. A
// network of only one side is noted and not compared.
func (d *Difference) compareNetworks(ctx context.Context, names [2]string) error {
	sides := [2]*revision.Revision{d.Before, d.After}
	var networks []string
	for _, r := range sides {
		if r.Network == nil {
			networks = append(networks, networkNames(r)...)
		}
	}
	slices.Sort(networks)
	for _, name := range slices.Compact(networks) {
		var on [2]*revision.Revision
		for i, r := range sides {
			on[i] = revision.OnNetwork(r, name)
			if on[i] == nil {
				d.NotConsidered = append(d.NotConsidered, model.Omission{Code: model.OmittedPart, Key: model.Key{Kind: model.KindPod},
					Why: "network " + name + " does not exist (" + names[i] + "): its connections were not compared"})
			}
		}
		if on[0] == nil || on[1] == nil {
			continue
		}
		there, err := revision.Compare(ctx, on[0], on[1])
		if err != nil {
			return err
		}
		d.Connections.JoinNetwork(there, name)
	}
	return nil
}

func networkNames(r *revision.Revision) []string {
	if w := revision.WholeDesired(r); w != nil && w.Networks() != nil {
		return w.Networks().Names()
	}
	return nil
}
