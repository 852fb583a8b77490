//! What one layer of a long chain of convolutions costs, without R: `cargo run --release -p torchshape-shapes --example chain`.

use shapes::args::Value;
use shapes::network::{Network, Node};
use shapes::{Dim, Shape};
use std::time::Instant;

fn chain(layers: usize) -> Vec<Node> {
    let input =
        Node { id: "x".into(), op: "input".into(), args: Vec::new(), inputs: Vec::new(), block: None, given: None };
    let layer = |i: usize| Node {
        id: format!("layer{i}"),
        op: "nn_conv2d".into(),
        args: [("out_channels", 64), ("kernel_size", 3), ("padding", 1)]
            .map(|(name, value)| (name.to_string(), Value::whole(value)))
            .to_vec(),
        inputs: vec![if i == 1 { "x".into() } else { format!("layer{}", i - 1) }],
        block: None,
        given: None,
    };
    std::iter::once(input).chain((1..=layers).map(layer)).collect()
}

fn main() {
    const ROUNDS: usize = 15;
    let input: Vec<Shape> = vec![vec![Dim::UNKNOWN, Dim::known(64), Dim::known(32), Dim::known(32)].into()];
    for layers in [1_000, 10_000, 100_000] {
        let nodes = chain(layers);
        let mut micros: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                let inferred = Network::new(&nodes).and_then(|network| network.infer(&input)).expect("the chain fits");
                assert_eq!(inferred.len(), layers + 1);
                start.elapsed().as_secs_f64() * 1e6 / layers as f64
            })
            .collect();
        micros.sort_by(f64::total_cmp);
        println!("{layers:>7} layers: {:.2} us a layer", micros[ROUNDS / 2]);
    }
}
