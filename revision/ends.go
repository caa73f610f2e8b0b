package revision

import (
	"net/netip"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// End is one end of connections: a workload, or outside addresses that policies treat alike.
type End struct {
	Namespace, Name string // of a workload: "deployment/web", or the name of a single pod
	Pods            int
	// Imagined describes pods that do not exist; empty for existing pods.
	Imagined string
	// Outside are the end's networks of outside addresses, without the networks in Except.
	Outside, Except []netip.Prefix
}

// IsOutside reports whether the end is outside addresses.
func (e *End) IsOutside() bool { return e.Name == "" }

// String returns the full name: "shop/deployment/web", or "0.0.0.0/0 except 10.0.0.0/8".
func (e *End) String() string { return e.text(len(e.Outside), len(e.Except)) }

// Brief returns the name with at most three networks and three exceptions.
func (e *End) Brief() string { return e.text(3, 3) }

// text returns the name with at most the given numbers of networks and exceptions.
func (e *End) text(networks, except int) string {
	if e.Imagined != "" {
		return e.Imagined
	}
	if !e.IsOutside() {
		return e.Namespace + "/" + e.Name
	}
	text := words.JoinAtMost(prefixTexts(e.Outside), ", ", networks)
	if len(e.Except) > 0 {
		text += " except " + words.JoinAtMost(prefixTexts(e.Except), ", ", except)
	}
	return text
}

func prefixTexts(all []netip.Prefix) []string {
	return model.MapList(all, func(p netip.Prefix) string {
		return words.Choose(p.IsSingleIP(), p.Addr().String(), p.String())
	})
}

type endFinder struct {
	c             *verdict.Classes
	ends          []End
	workloadByPod []int32         // by pod of the index: its workload, -1 if none
	pods          [][]int32       // by workload: the pods of the index
	shares        [][]endShare    // by class, made on demand
	blocks        map[int32]int32 // by outside class: its end
	classesByEnd  [][]int32       // the classes of each end, made on demand
}

// endShare is an end's part of one class: some of its pods' addresses.
type endShare struct {
	end  int32
	ends []int32 // indexes in the index; empty for outside addresses
}

func newEndFinder(c *verdict.Classes, workloads []Workload) *endFinder {
	x := c.Index
	f := &endFinder{c: c, workloadByPod: make([]int32, x.Pods.Len()), pods: make([][]int32, len(workloads)),
		shares: make([][]endShare, c.Len()),
		blocks: map[int32]int32{}}
	at := make(map[model.Key]int32, x.Pods.Len())
	for i := range f.workloadByPod {
		f.workloadByPod[i] = -1
		at[x.Pods.PodAt(i).Key] = int32(i)
	}
	for i := range workloads {
		w := &workloads[i]
		f.ends = append(f.ends, End{Namespace: w.Namespace, Name: w.Name, Pods: len(w.Pods)})
		for _, p := range w.Pods {
			if pod, is := at[p.Key]; is {
				f.workloadByPod[pod] = int32(i)
				f.pods[i] = append(f.pods[i], pod)
			}
		}
	}
	return f
}

// classShares returns the parts of ends in a class. It is empty for addresses from which nodes reach only
// their own pods.
func (f *endFinder) classShares(class int32) []endShare {
	if f.shares[class] != nil {
		return f.shares[class]
	}
	k, out := f.c.List[class], []endShare{}
	if k.Outside {
		if len(k.Blocks) > 0 {
			out = append(out, endShare{end: f.blockEnd(class)})
		}
		f.shares[class] = out
		return out
	}
	at := map[int32]int{}
	for _, e := range k.Ends {
		w := f.workloadByPod[f.c.Index.Ends[e].Pod]
		if w < 0 {
			continue
		}
		i, is := at[w]
		if !is {
			i = len(out)
			at[w] = i
			out = append(out, endShare{end: w})
		}
		out[i].ends = append(out[i].ends, e)
	}
	f.shares[class] = out
	return out
}

// endClasses returns the classes that contain part of an end.
func (f *endFinder) endClasses(end int) []int32 {
	if f.classesByEnd == nil {
		f.classesByEnd = make([][]int32, len(f.ends))
		for id := range f.c.List {
			for _, s := range f.classShares(int32(id)) {
				f.classesByEnd[s.end] = append(f.classesByEnd[s.end], int32(id))
			}
		}
	}
	return f.classesByEnd[end]
}

func (f *endFinder) findShare(class int32, end int) *endShare {
	all := f.classShares(class)
	for i := range all {
		if all[i].end == int32(end) {
			return &all[i]
		}
	}
	return nil
}

func (f *endFinder) blockEnd(class int32) int32 {
	if id, is := f.blocks[class]; is {
		return id
	}
	some := verdict.NewSet(len(f.c.Outside.Blocks))
	for _, b := range f.c.List[class].Blocks {
		some.Add(b)
	}
	e := End{}
	e.Outside, e.Except = f.c.Outside.NetworksOfBlocks(some)
	id := int32(len(f.ends))
	f.ends, f.blocks[class] = append(f.ends, e), id
	return id
}

// podsConnect finds a pair of different pods of two shares whose nodes pair as nodes demands; ok is false if
// there is none. all reports whether all pairs of different pods do.
func (f *endFinder) podsConnect(a, b *endShare, nodes verdict.NodePairing) (from, to int32, ok, all bool) {
	x := f.c.Index
	all = true
	for _, i := range a.ends {
		for _, j := range b.ends {
			if x.Ends[i].Pod == x.Ends[j].Pod {
				continue
			}
			if !nodes.Includes(x.NodeOfEnd(i) == x.NodeOfEnd(j)) {
				all = false
			} else if !ok {
				from, to, ok = i, j, true
			}
			if ok && (!all || nodes == verdict.AnyNodes) {
				return from, to, ok, all
			}
		}
	}
	return from, to, ok, all
}

// shareExample returns a connection between two shares at a port; ok is false if none exists.
func (f *endFinder) shareExample(p *diffPair, at verdict.PortRange) (c verdict.Connection, ok bool) {
	x, from, to := f.c.Index, f.c.List[p.pair.From], f.c.List[p.pair.To]
	c = verdict.Connection{Family: from.Family, Protocol: at.Protocol, Port: at.ExamplePort()}
	switch {
	case from.Outside:
		for _, e := range p.to.ends {
			for a := range f.c.SourceAddrs(from, e) {
				c.From, c.To = verdict.AddrEnd(a), x.Endpoint(e)
				return c, true
			}
		}
		return c, false
	case to.Outside:
		for _, e := range p.from.ends {
			for _, i := range to.Blocks {
				if b := &f.c.Outside.Blocks[i]; p.pair.Nodes.Includes(b.Host == x.NodeOfEnd(e)) {
					c.From, c.To = x.Endpoint(e), verdict.AddrEnd(b.Addr)
					return c, true
				}
			}
		}
		return c, false
	}
	i, j, ok, _ := f.podsConnect(p.from, p.to, p.pair.Nodes)
	if ok {
		c.From, c.To = x.Endpoint(i), x.Endpoint(j)
	}
	return c, ok
}
