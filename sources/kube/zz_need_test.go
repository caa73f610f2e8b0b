package kube

import (
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "k8s.io/client-go/dynamic/dynamicinformer"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/tools/leaderelection"
	_ "k8s.io/client-go/tools/remotecommand"
	_ "k8s.io/client-go/tools/watch"
	_ "k8s.io/client-go/metadata"
	_ "k8s.io/client-go/restmapper"
	_ "k8s.io/client-go/discovery/cached/memory"
	_ "k8s.io/cri-streaming/pkg/streaming"
)
