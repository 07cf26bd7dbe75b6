# syntax=docker/dockerfile:1
# An image with one file, the static program of a release. Build it in the folder that tests/release/build wrote, or in one with
# the programs of its archives at amd64/galley and arm64/galley:
#
#   docker build --file examples/docker/release.Dockerfile --tag galley target/release-files/image

FROM scratch
ARG TARGETARCH
COPY --chmod=755 ${TARGETARCH}/galley /galley
# The volumes belong to the user, even if Docker creates them.
COPY --chown=65532:65532 folders /
ENV GALLEY_LISTEN=0.0.0.0:2368 GALLEY_DATA=/data GALLEY_CONTENT=/content
USER 65532:65532
VOLUME /data
EXPOSE 2368
HEALTHCHECK --interval=30s --timeout=5s --start-period=10m CMD ["/galley", "status"]
ENTRYPOINT ["/galley"]
CMD ["serve"]
