package network

import (
	"fmt"
	"maps"
	"slices"

	"rung/model"
	"rung/model/words"
)

// PodsElsewhere reports the pods that are not on the default network, by their network. Answers about all pods
// of the default network omit them, and say so. A cluster projected to a network has none.
func (t *Table) PodsElsewhere(c *model.Cluster) (out []model.Omission) {
	pods, unread := map[string][]string{}, map[string]bool{}
	for p := range c.Pods() {
		name := p.PrimaryUDN()
		if name == "" || p.HostNetwork || p.IsCompleted() {
			continue
		}
		if n := t.NetworkOfKey(name); n != nil {
			name = n.Name
		} else {
			unread[name] = true
		}
		pods[name] = append(pods[name], p.Namespace+"/"+p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(pods)) {
		n := len(pods[name])
		o := model.Omission{Code: model.OmittedNetwork, Key: model.Key{Kind: model.KindPod}, Remedy: "--network " + name,
			Why: fmt.Sprintf("%s %s on the network %s: --network %s shows %s", words.Count(n, "pod"), words.OneOrMany(n, "is", "are"), name, name,
				words.OneOrMany(n, "it", "them"))}
		if unread[name] {
			o.Remedy = ""
			o.Why = fmt.Sprintf("%s (%s) %s on the network of %s, which was not read", words.Count(n, "pod"), words.ListFew(pods[name], 3),
				words.OneOrMany(n, "is", "are"), name)
		}
		out = append(out, o)
	}
	return out
}
