// Gen writes the manifests of a benchmark cluster to standard output:
//
//	go run ./bench/gen -pods 1000 -policies 50 -rules 20 > cluster.yaml
package main

import (
	"bufio"
	"flag"
	"log"
	"os"

	"rung/bench/workload"
)

func main() {
	s := workload.Console
	flag.IntVar(&s.Nodes, "nodes", s.Nodes, "nodes")
	flag.IntVar(&s.Namespaces, "namespaces", s.Namespaces, "namespaces")
	flag.IntVar(&s.Pods, "pods", s.Pods, "pods")
	flag.IntVar(&s.Policies, "policies", s.Policies, "AdminNetworkPolicies")
	flag.IntVar(&s.Rules, "rules", s.Rules, "rules per policy")
	flag.IntVar(&s.Peers, "peers", s.Peers, "peers per rule")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	if err := workload.Write(out, s); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
