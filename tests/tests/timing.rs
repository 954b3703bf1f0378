//! temporary
use minrisk_faer::Faer;
#[test]
fn timing() {
    for check in minrisk_conformance::checks() {
        let t = std::time::Instant::now();
        let a = check.run_f64(&Faer).is_ok();
        let t64 = t.elapsed().as_secs_f64();
        let t = std::time::Instant::now();
        let b = check.run_f32(&Faer).is_ok();
        println!("{:50} {:6.2} {:6.2} {a} {b}", check.name, t64, t.elapsed().as_secs_f64());
    }
}
