/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rival of bench/ost: LEMON's network simplex on the aggregated graph
 * (requests of the same number of stripes are one node; the edge to a target
 * takes as many as there are of them), which is exact for the flow. Reads
 * "TARGETS CLASSES", for each target "COST ROOM", for each class
 * "STRIPES NUMBER"; writes "SECONDS COST FLOW", the time being that of the best
 * of five runs, without building the graph.
 */
#include <chrono>
#include <cstdio>
#include <vector>
#include <lemon/list_graph.h>
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

using namespace lemon;
typedef NetworkSimplex<SmartDigraph, long long, long long> Simplex;

int main()
{
	SmartDigraph g;
	SmartDigraph::ArcMap<long long> cap(g), cost(g);
	int m, k;

	if (scanf("%d %d", &m, &k) != 2)
		return 1;
	SmartDigraph::Node source = g.addNode(), sink = g.addNode();
	std::vector<SmartDigraph::Node> target(m);
	long long wanted = 0, big = 0;
	for (int j = 0; j < m; j++) {
		long long c, room;
		if (scanf("%lld %lld", &c, &room) != 2)
			return 1;
		target[j] = g.addNode();
		SmartDigraph::Arc a = g.addArc(target[j], sink);
		cap[a] = room;
		cost[a] = c;
		big = c > big ? c : big;
	}
	for (int i = 0; i < k; i++) {
		long long stripes, n;
		if (scanf("%lld %lld", &stripes, &n) != 2)
			return 1;
		SmartDigraph::Node r = g.addNode();
		SmartDigraph::Arc a = g.addArc(source, r);
		cap[a] = stripes * n;
		cost[a] = 0;
		wanted += stripes * n;
		for (int j = 0; j < m; j++) {
			SmartDigraph::Arc b = g.addArc(r, target[j]);
			cap[b] = n;
			cost[b] = 0;
		}
	}
	/* what does not fit goes past everything, dearer than anything */
	SmartDigraph::Arc past = g.addArc(source, sink);
	cap[past] = wanted;
	cost[past] = big * 4 + 1;
	double best = 1e9;
	long long flow = 0, total = 0;
	for (int run = 0; run < 5; run++) {
		Simplex ns(g);
		ns.upperMap(cap).costMap(cost).stSupply(source, sink, wanted);
		auto t = std::chrono::steady_clock::now();
		if (ns.run() != Simplex::OPTIMAL)
			return 2;
		std::chrono::duration<double> d =
			std::chrono::steady_clock::now() - t;
		best = d.count() < best ? d.count() : best;
		flow = wanted - ns.flow(past);
		total = ns.totalCost<long long>() - ns.flow(past) * cost[past];
	}
	printf("%.9f %lld %lld\n", best, total, flow);
	return 0;
}
