"""Lists posts, newest first.

usage: read_posts.py [FILTER]     such as: read_posts.py 'tag:kitchen+featured:false'
"""

import sys

from site_api import ApiError, ContentApi


def main() -> None:
    parameters = {"include": "authors,tags", "fields": "title,url,published_at,reading_time"}
    if len(sys.argv) > 1:
        parameters["filter"] = sys.argv[1]
    for post in ContentApi().browse("posts", **parameters):
        authors = " and ".join(author["name"] for author in post["authors"])
        tags = ", ".join(tag["name"] for tag in post["tags"]) or "no tags"
        print(f"{post['published_at'][:10]}  {post['title']}, by {authors} ({tags}; {post['reading_time']} min)")


if __name__ == "__main__":
    try:
        main()
    except ApiError as error:
        sys.exit(f"{error.kind}: {error}")
