package revision

import (
	"net/netip"

	"rung/model"
	"rung/model/verdict"

	"rung/model/words"
)

// End is one end of connections: a workload, or addresses outside that nothing tells apart.
type End struct {
	Namespace, Name string // of a workload: "deployment/web", or a pod of its own
	Pods            int
	// Imagined says of pods that do not exist what they stand for; empty for those that do.
	Imagined string
	// Outside are the networks of addresses outside, without those of Except.
	Outside, Except []netip.Prefix
}

// IsOutside says whether the end is addresses outside.
func (e *End) IsOutside() bool { return e.Name == "" }

// String returns the whole name: "shop/deployment/web", or "0.0.0.0/0 except 10.0.0.0/8".
func (e *End) String() string { return e.text(len(e.Outside), len(e.Except)) }

// Brief returns the name for people: of many networks, the first three are named.
func (e *End) Brief() string { return e.text(3, 3) }

// text returns the name, with a number of networks and of exceptions.
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
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.String()
		if p.IsSingleIP() {
			out[i] = p.Addr().String()
		}
	}
	return out
}

// endFinder knows which ends the classes of an index are of.
type endFinder struct {
	c      *verdict.Classes
	ends   []End
	ofPod  []int32         // by pod of the index: its workload, -1 for none
	pods   [][]int32       // by workload, the pods of the index
	shares [][]endShare    // by class, made when needed
	blocks map[int32]int32 // the ends of classes outside
	ofEnd  [][]int32       // the classes of each end, made when needed
}

// endShare is the part of an end that is in a class: some of its pods' addresses.
type endShare struct {
	end  int32
	ends []int32 // of the index; none of addresses outside
}

// newEndFinder finds the ends of classes: of the pods of some workloads, and of addresses outside.
func newEndFinder(c *verdict.Classes, workloads []Workload) *endFinder {
	x := c.Index
	f := &endFinder{c: c, ofPod: make([]int32, x.Pods.Len()), pods: make([][]int32, len(workloads)), shares: make([][]endShare, c.Len()),
		blocks: map[int32]int32{}}
	at := make(map[model.Key]int32, x.Pods.Len())
	for i := range f.ofPod {
		f.ofPod[i] = -1
		at[x.Pods.PodAt(i).Key] = int32(i)
	}
	for i := range workloads {
		w := &workloads[i]
		f.ends = append(f.ends, End{Namespace: w.Namespace, Name: w.Name, Pods: len(w.Pods)})
		for _, p := range w.Pods {
			if pod, is := at[p.Key]; is {
				f.ofPod[pod] = int32(i)
				f.pods[i] = append(f.pods[i], pod)
			}
		}
	}
	return f
}

// sharesOf are the ends that a class is of, none for what is no end of connections by workload: the
// addresses from which nodes reach their own pods alone.
func (f *endFinder) sharesOf(class int32) []endShare {
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
		w := f.ofPod[f.c.Index.Ends[e].Pod]
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

// classesOf are the classes that an end has a part in.
func (f *endFinder) classesOf(end int) []int32 {
	if f.ofEnd == nil {
		f.ofEnd = make([][]int32, len(f.ends))
		for id := range f.c.List {
			for _, s := range f.sharesOf(int32(id)) {
				f.ofEnd[s.end] = append(f.ofEnd[s.end], int32(id))
			}
		}
	}
	return f.ofEnd[end]
}

// shareOf is the part of an end that is in a class, nil for none.
func (f *endFinder) shareOf(class int32, end int) *endShare {
	all := f.sharesOf(class)
	for i := range all {
		if all[i].end == int32(end) {
			return &all[i]
		}
	}
	return nil
}

// blockEnd is the end of a class of addresses outside.
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

// podsConnect finds a pair of pods of two shares that connect, as nodes asks; ok is false for none.
// all says whether every pair does that is of two pods.
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

// exampleOf is a connection between two shares of classes at a port; ok is false where there is none.
func (f *endFinder) exampleOf(p *diffPair, at verdict.PortRange) (c verdict.Connection, ok bool) {
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
