// Gen writes the manifests of a benchmark cluster to standard output:
//
//	go run ./bench/gen -size W2 > cluster.yaml
//	go run ./bench/gen -pods 1000 -policies 50 -rules 20 > cluster.yaml
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"rung/bench/workload"
)

func main() {
	s := workload.Console
	names := strings.Join(slices.Sorted(maps.Keys(workload.Named)), ", ")
	flag.Func("size", "a named size ("+names+"); flags after it change it (default console)", func(name string) error {
		named, ok := workload.Named[name]
		if !ok {
			return fmt.Errorf("sizes are %s", names)
		}
		s = named
		return nil
	})
	flag.IntVar(&s.Nodes, "nodes", s.Nodes, "nodes")
	flag.IntVar(&s.Namespaces, "namespaces", s.Namespaces, "namespaces")
	flag.IntVar(&s.Pods, "pods", s.Pods, "pods")
	flag.IntVar(&s.Policies, "policies", s.Policies, "AdminNetworkPolicies")
	flag.IntVar(&s.Rules, "rules", s.Rules, "rules per policy")
	flag.IntVar(&s.Peers, "peers", s.Peers, "peers per rule")
	flag.IntVar(&s.NetworkPolicies, "networkpolicies", s.NetworkPolicies, "NetworkPolicies")
	flag.Uint64Var(&s.Seed, "seed", s.Seed, "draw labels and peers at random; 0 deals them out in turn")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	if err := workload.Write(out, s); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
