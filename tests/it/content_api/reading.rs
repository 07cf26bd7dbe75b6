use super::fixture;
#[test]
fn show() {
    let start = std::time::Instant::now();
    let app = fixture::site();
    eprintln!("{:?}", start.elapsed());
    for e in [
        "posts/?include=tags,authors,tiers&formats=html,plaintext",
        "pages/",
        "tags/?include=count.posts",
        "authors/",
        "tiers/?include=monthly_price",
        "settings/",
        "newsletters/",
        "recommendations/",
        "search-index/posts/",
        "search-index/tags/",
        "search-index/authors/",
    ] {
        let a = app.content(e);
        println!(
            "== {e} {} {:?}\n{}",
            a.status,
            a.headers,
            serde_json::to_string_pretty(&a.json()).unwrap()
        );
    }
    println!("{}", app.get("/ghost/api/admin/site/").text());
    let start = std::time::Instant::now();
    drop(app);
    eprintln!("stop {:?}", start.elapsed());
}
