//! Real networks, with the shapes, parameters and multiply-adds that PyTorch gives.

use serde_json::Value as Json;
use shapes::network::{read, Network};
use shapes::{Dim, Shape};
use std::path::PathBuf;

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/testthat/fixtures/networks").join(name);
    std::fs::read_to_string(path).expect("the fixture is there")
}

fn shapes(json: &Json) -> Vec<Shape> {
    let size = |size: &Json| size.as_i64().map_or(Dim::UNKNOWN, Dim::known);
    json.as_array().unwrap().iter().map(|s| s.as_array().unwrap().iter().map(size).collect::<Vec<_>>().into()).collect()
}

/// Sizes as R sees them: a number or NA.
fn seen(shapes: &[Shape]) -> Vec<String> {
    shapes.iter().map(Shape::to_string).collect()
}

fn check(name: &str) {
    let text = fixture(name);
    let truth: Json = serde_json::from_str(&text).unwrap();
    let file = read(&text).unwrap();
    let network = Network::new(&file.nodes).unwrap();
    let truth_nodes = truth["nodes"].as_array().unwrap();
    for variant in ["known", "batch", "spatial"] {
        let inputs = shapes(&truth_nodes[0][variant]);
        let inferred = network.infer(&inputs).unwrap_or_else(|error| panic!("{name} {variant}: {error}"));
        assert_eq!(inferred.len(), truth_nodes.len());
        for (node, truth) in inferred.iter().zip(truth_nodes) {
            let at = format!("{name} {variant} {}", truth["id"]);
            assert_eq!(seen(&node.shapes_out), seen(&shapes(&truth[variant])), "{at}");
            if let Some(params) = truth["params"].as_i64() {
                assert_eq!(node.cost.params.value(), Some(params), "{at}");
            }
            match (variant, truth["macs"].as_i64()) {
                ("known", Some(macs)) => assert_eq!(node.cost.macs.value(), Some(macs), "{at}"),
                // the known batch is 2
                ("batch", Some(macs)) => assert_eq!(node.cost.macs.value(), Some(macs / 2), "{at}"),
                _ => {}
            }
        }
    }
    let params: i64 =
        network.infer(&shapes(&truth_nodes[0]["known"])).unwrap().iter().map(|n| n.cost.params.value().unwrap()).sum();
    assert_eq!(Some(params), truth["params"].as_i64(), "{name}");
}

macro_rules! networks {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            check(concat!(stringify!($name), ".json"));
        }
    )*};
}
networks!(
    alexnet,
    vgg16,
    resnet18,
    resnet50,
    squeezenet1_1,
    densenet121,
    googlenet,
    mobilenet_v2,
    efficientnet_b0,
    unet,
    dcgan_generator,
    text_lstm_attention,
);
